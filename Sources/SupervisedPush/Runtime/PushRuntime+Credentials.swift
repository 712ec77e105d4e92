import Locking

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

    /// Reads the files of the connection's credential and trust roots again, and if they changed, or the connection is
    /// suspended, replaces what is in use, as `replaceCredential(name:with:trust:)` does. For a SIGHUP; to have it done when
    /// they change, see ``ConnectionConfig/credentialReload``. What is no regular file, such as a pipe, is not read again.
    public func reloadCredential(name: String) async throws(ConnectError) {
        try await destination(.name(name)).reloadCredential(credentialReader)
    }

    /// Reads the files of the credential of this connection or pool again; see `reloadCredential(name:)`.
    public func reloadCredential(_ pid: ProcessID) async throws(ConnectError) {
        try await destination(.pid(pid)).reloadCredential(credentialReader)
    }

    private func replaceCredential(
        _ target: PushTarget, _ credential: Credential, _ trust: TrustRoots?
    ) async throws(ConnectError) {
        let destination = try destination(target)
        let trust = trust ?? destination.credentials.source.trust
        let reader = credentialReader
        let (source, resolved) = try await reader.files.read { () throws(ConnectError) in
            let source = CredentialSource(credential: credential, trust: trust)
            return (source, try destination.resolve(source, reader))
        }
        switch destination {
        case .connection(let entry): try await entry.replaceCredential(resolved, from: source)
        case .pool(let pool): try await pool.replaceCredential(resolved, from: source)
        }
    }

    private func destination(_ target: PushTarget) throws(ConnectError) -> Destination {
        do { return try directory.destination(target) } catch { throw ConnectError(.notFound, error.description) }
    }

    /// Has the credential of a connection or a pool looked after.
    func keepCredential(of destination: Destination) {
        let (name, hub) = (destination.name, destination.hub)
        let log = ConnectionLog(destination.config.logger, name: name)
        let weak = destination.weak
        let duties = CredentialMonitor.Duties(
            expiring: { notAfter, left in
                log.credentialExpires(inDays: left / 86_400)
                hub.post { .credentialExpiring(pid: $0, name: name, notAfter: notAfter) }
            },
            reload: { [credentialReader] () async throws(ConnectError) in
                try await weak()?.reloadCredential(credentialReader)
            },
            reloadFailed: { error in
                log.credentialNotReloaded(error)
                hub.post { .credentialReloadFailed(pid: $0, name: name, error: error) }
            })
        let slot = destination.credentials
        slot.keep(
            by: CredentialMonitor(slot, destination.config.credentialReload, time: system.time, duties: duties))
    }
}

extension Destination {
    fileprivate func reloadCredential(_ reader: CredentialReader) async throws(ConnectError) {
        let resolved = try await reader.files.read { () throws(ConnectError) in
            try resolve(credentials.source, reader, again: true)
        }
        switch self {
        case .connection(let entry): try await entry.replaceCredential(resolved)
        case .pool(let pool): try await pool.replaceCredential(resolved)
        }
    }

    fileprivate func resolve(
        _ source: CredentialSource, _ reader: CredentialReader, again: Bool = false
    ) throws(ConnectError) -> ResolvedCredential {
        let config = config.with {
            $0.credential = source.credential
            $0.trust = source.trust
        }
        return try reader.resolve(config, again: again)
    }

    fileprivate var name: String? {
        switch self {
        case .connection(let entry): entry.name
        case .pool(let pool): pool.name
        }
    }

    /// Leads to it as long as it exists, and does not keep it.
    fileprivate var weak: @Sendable () -> Destination? {
        switch self {
        case .connection(let entry): { [weak entry] in entry.map(Destination.connection) }
        case .pool(let pool): { [weak pool] in pool.map(Destination.pool) }
        }
    }
}

extension ConnectionEntry {
    /// Returns once the credential is the connection's.
    ///
    /// - Parameter source: where it comes from; nil: from where the one in use does.
    func replaceCredential(
        _ credential: ResolvedCredential, from source: CredentialSource? = nil
    ) async throws(ConnectError) {
        guard wants(credential) else {
            if let source { credentials.source = source }
            return
        }
        let settlement = await withHandOver { handOver in
            offer(credential, from: source) { handOver.resume(returning: $0) }
        }
        switch settlement {
        case .taken: return
        case .failed(let cause): throw .replacement("No link came up with it: \(cause.description)")
        case .superseded: throw .replacement("Another one was given meanwhile.")
        case .closed: throw ConnectError(.notFound, "The connection ended before it could use the credential.")
        }
    }

    /// Whether the credential would change anything: it is another one, or the connection is suspended. Then it is tried again
    /// even if it is the same.
    fileprivate func wants(_ credential: ResolvedCredential) -> Bool {
        !credential.isSame(as: credentials.current) || hub.phase == .suspended
    }

    /// Puts the credential on offer and tells the process; between two processes it is taken at once.
    func offer(
        _ credential: ResolvedCredential, from source: CredentialSource? = nil, isProven: Bool = false,
        _ caller: (@Sendable (CredentialSlot.Settlement) -> Void)? = nil
    ) {
        credentials.offer(credential, from: source, caller)
        let (process, isOver) = state.withLock { ($0.process, $0.hasEnded) }
        guard let process else { return isOver ? credentials.decline(nil) : credentials.take() }
        let offer = CredentialOffer(isCertificate: credential.isCertificate, isProven: isProven)
        process.send(.credentialOffered(offer))
    }
}

extension PoolEntry {
    /// Returns once one of the connections has come up with the credential; the others follow by themselves.
    func replaceCredential(
        _ credential: ResolvedCredential, from source: CredentialSource? = nil
    ) async throws(ConnectError) {
        let members = members
        guard let first = members.first(where: { $0.standing.phase == .up }) ?? members.first else {
            throw ConnectError(.notFound, "The pool has no connection any more.")
        }
        try await first.replaceCredential(credential)
        // If it had to be loaded, the link that came up with it has done that.
        let taken = first.credential
        credentials.offer(taken, from: source, nil)
        credentials.take()
        // Where no link was up, the load may have ended between these lines.
        if !taken.isLoaded, case let loaded = first.credential, loaded.isLoaded { credentials.loaded(loaded) }
        // Those included that were made meanwhile.
        for member in self.members where member !== first && member.wants(taken) {
            member.offer(taken, isProven: true)
        }
    }
}
