/// Replacing credentials while pushes flow.
extension PushRuntime {
    /// Gives a connection another credential, without losing or repeating a push.
    ///
    /// Key or certificate are read and checked first, on a thread that may block, for a minute at most. Then the connection dials with them, and serves pushes over the link
    /// it has until the new one is up; the old one finishes what it has. If no link comes up with the new credential, the old
    /// one stays in use, and this throws. Where no link is up (at the start, in an outage, or while the old credential is
    /// refused) the new one is taken at once, the connection dials with it, and this returns. The same credential again
    /// changes nothing, except while the connection is suspended: then it is tried at once.
    ///
    /// In token mode APNs judges a key by the first push that shows its token: a key that APNs does not know is heard of as
    /// any other refused credential, by ``LifecycleMessage/suspended(pid:name:cause:nextProbe:)``.
    ///
    /// A pool tries the new credential with one of its connections first; once that is up, all others follow.
    ///
    /// - Parameters:
    ///   - name: the connection's or the pool's.
    ///   - credential: signing key or certificate; one may take the other's place.
    ///   - trust: the authorities to trust from now on; nil, the default: as before.
    /// - Throws: ``ConnectError``: `credential` if it cannot be read or used, `replacement` if no link came up with it or
    ///   another one was offered meanwhile, `notFound` if there is no such connection, or it ended.
    public func replaceCredential(
        name: String, with credential: Credential, trust: TrustRoots? = nil
    ) async throws(ConnectError) {
        try await replaceCredential(.name(name), credential, trust)
    }

    /// Gives the connection or pool of this pid another credential; see `replaceCredential(name:with:trust:)`.
    public func replaceCredential(
        _ pid: ProcessID, with credential: Credential, trust: TrustRoots? = nil
    ) async throws(ConnectError) {
        try await replaceCredential(.pid(pid), credential, trust)
    }

    /// Reads the connection's credential and trust roots again, and if they changed, or the connection is suspended, replaces
    /// what is in use, as `replaceCredential(name:with:trust:)` does. For a SIGHUP; to have it done without a call, see
    /// ``ConnectionConfig/credentialReload``.
    ///
    /// Files are read, and loaders and token sources are asked, for a minute at most. What is no regular file, such as a pipe, is
    /// not read again. If another credential is given meanwhile, that one counts, and what was read is dropped.
    ///
    /// - Throws: ``ConnectError``: `credential` if it cannot be read, loaded or used, `replacement` if no link came up with it,
    ///   `notFound` if there is no such connection, or it ended.
    public func reloadCredential(name: String) async throws(ConnectError) {
        try await reloadCredential(.name(name))
    }

    /// Reads the credential of this connection or pool again; see `reloadCredential(name:)`.
    public func reloadCredential(_ pid: ProcessID) async throws(ConnectError) {
        try await reloadCredential(.pid(pid))
    }

    /// Reads the credentials of all connections and pools again, those without a name as well, 16 at a time; see
    /// `reloadCredential(name:)`. For a SIGHUP.
    ///
    /// - Returns: which could not be reloaded, and why, in no particular order; they go on with what they have. Those that
    ///   end meanwhile are left out.
    @discardableResult
    public func reloadCredentials() async -> [CredentialReloadFailure] {
        var rest = directory.destinations[...]
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

    private func replaceCredential(
        _ target: PushTarget, _ credential: Credential, _ trust: TrustRoots?
    ) async throws(ConnectError) {
        try await destination(target).replaceCredential(credential, trust, credentialReader)
    }

    private func reloadCredential(_ target: PushTarget) async throws(ConnectError) {
        let end = try await destination(target).reloadCredential(isPoll: false, credentialReader)
        if case .failed(let error) = end { throw error }
    }

    private func destination(_ target: PushTarget) throws(ConnectError) -> any Destination {
        do { return try directory.destination(target) } catch { throw ConnectError(.notFound, error.description) }
    }

    /// Has the credential of a connection or a pool watched.
    func watchCredential(of destination: some Destination) {
        let (name, hub, rule) = (destination.name, destination.hub, destination.config.credentialReload)
        let log = ConnectionLog(destination.config.logger, name: name)
        let duties = CredentialMonitor.Duties(
            expiring: { notAfter, left in
                log.credentialExpires(inDays: left / 86_400)
                hub.post { .credentialExpiring(pid: $0, name: name, notAfter: notAfter) }
            },
            reload: { [credentialReader, weak destination] in
                await destination?.reloadCredential(isPoll: !rule.watchesFiles, credentialReader) ?? .later
            },
            reloadFailed: { error in
                log.credentialNotReloaded(error)
                hub.post { .credentialReloadFailed(pid: $0, name: name, error: error) }
            })
        let slot = destination.credentials
        slot.watch(by: CredentialMonitor(slot, rule, time: system.time, duties: duties))
    }
}

extension Destination {
    fileprivate func reloadFailure(_ reader: CredentialReader) async -> CredentialReloadFailure? {
        guard case .failed(let error) = await reloadCredential(isPoll: false, reader), error.code != .notFound else {
            return nil
        }
        return CredentialReloadFailure(name: name, pid: pid, error: error)
    }
}
