import FoundationEssentials

/// Reading credentials again while pushes flow.
extension PushRuntime {
    /// Reads the credentials of all connections and pools again, including anonymous ones, 16 at a time; see
    /// ``PushConnection/reloadCredential()``. Call it on SIGHUP, for example.
    ///
    /// - Returns: The connections and pools whose credential could not be reloaded, and why, in no particular order.
    ///   They keep the credential they have. Those that end in the meantime are left out.
    @discardableResult
    public func reloadCredentials() async -> [CredentialReloadFailure] {
        var rest = registry.destinations[...]
        return await withTaskGroup(of: CredentialReloadFailure?.self) { [credentialReader] group in
            var failures: [CredentialReloadFailure] = []
            var underWay = 0
            while true {
                while underWay < Self.reloadsAtATime, let next = rest.popFirst() {
                    underWay += 1
                    group.addTask { await next.reloadFailure(credentialReader) }
                }
                guard let ended = await group.next() else { return failures }
                underWay -= 1
                if let failure = ended { failures.append(failure) }
            }
        }
    }

    private static let reloadsAtATime = 16

    /// Watches the credential of a connection or a pool.
    func watchCredential(of destination: some Destination) {
        let (name, hub, rule) = (destination.name, destination.hub, destination.config.credentialReload)
        let log = ConnectionLog(destination.config.watching.logger, name: name)
        let duties = CredentialMonitor.Duties(
            expiring: { notAfter, left in
                log.credentialExpires(inDays: left / 86_400)
                hub.post { .credentialExpiring(pid: $0, name: name, notAfter: Date(unixSeconds: notAfter)) }
            },
            reload: { [credentialReader, weak destination] in
                await destination?.reloadCredential(isPoll: !rule.watchesFiles, reader: credentialReader) ?? .later
            },
            reloadFailed: { error in
                log.credentialNotReloaded(error)
                hub.post { .credentialReloadFailed(pid: $0, name: name, error: error) }
            })
        let slot = destination.credentials
        slot.watch(by: CredentialMonitor(slot, rule: rule, time: system.time, duties: duties))
    }
}

extension Destination {
    fileprivate func reloadFailure(_ reader: CredentialReader) async -> CredentialReloadFailure? {
        guard case .failed(let error) = await reloadCredential(isPoll: false, reader: reader), error.code != .notFound
        else {
            return nil
        }
        return CredentialReloadFailure(name: name, pid: pid, error: error)
    }
}

/// A connection or a pool whose credential could not be reloaded; see ``PushRuntime/reloadCredentials()``.
public struct CredentialReloadFailure: Sendable, CustomStringConvertible {
    /// Its name; nil for an anonymous connection.
    public let name: String?
    /// Its process; nil between two processes.
    public let pid: ProcessID?
    /// Why. It shows no secret.
    public let error: ConnectError

    /// Creates a failure, for tests of code that handles one.
    public init(name: String?, pid: ProcessID? = nil, error: ConnectError) {
        self.name = name
        self.pid = pid
        self.error = error
    }

    /// One line: name or pid, and why.
    public var description: String { "\(name ?? pid.map { "\($0)" } ?? "a connection"): \(error)" }
}
