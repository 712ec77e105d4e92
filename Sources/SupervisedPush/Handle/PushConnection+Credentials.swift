/// Replacing a credential while pushes flow.
extension PushConnection {
    /// Gives the connection another credential, without losing or repeating a push.
    ///
    /// Key or certificate are read and checked first, on a thread that may block, for a minute at most. Then the connection dials with
    /// them, and serves pushes over the link it has until the new one is up; the old one finishes what it has. If no link comes up with
    /// the new credential, the old one stays in use, and this throws. Where no link is up (at the start, in an outage, or while the old
    /// credential is refused) the new one is taken at once, the connection dials with it, and this returns. The same credential again
    /// changes nothing, except while the connection is suspended: then it is tried at once.
    ///
    /// In token mode APNs judges a key by the first push that shows its token: a key that APNs does not know is heard of as any other
    /// refused credential, by ``LifecycleMessage/suspended(pid:name:cause:nextProbe:)``.
    ///
    /// A pool tries the new credential with one of its connections first; once that is up, all others follow.
    ///
    /// - Parameters:
    ///   - credential: Signing key or certificate; one may take the other's place.
    ///   - trust: The authorities to trust from now on; nil, the default: as before.
    /// - Throws: ``ConnectError``: `credential` if it cannot be read or used, `replacement` if no link came up with it or another one was
    ///   offered meanwhile, `notFound` if the connection has ended.
    public func replaceCredential(with credential: Credential, trust: TrustRoots? = nil) async throws(ConnectError) {
        try await servedConnection.replaceCredential(credential, trust, runtime.credentialReader)
    }

    /// Reads the connection's credential and trust roots again, and if they changed, or the connection is suspended, replaces what is in
    /// use, as ``replaceCredential(with:trust:)`` does. For a SIGHUP; to have it done without a call, see
    /// ``ConnectionConfig/credentialReload``.
    ///
    /// Files are read, and loaders and token sources are asked, for a minute at most. What is no regular file, such as a pipe, is not
    /// read again. If another credential is given meanwhile, that one counts, and what was read is dropped.
    ///
    /// - Throws: ``ConnectError``: `credential` if it cannot be read, loaded or used, `replacement` if no link came up with it,
    ///   `notFound` if the connection has ended.
    public func reloadCredential() async throws(ConnectError) {
        let end = try await servedConnection.reloadCredential(isPoll: false, runtime.credentialReader)
        if case .failed(let error) = end { throw error }
    }

    private var servedConnection: any Destination {
        get throws(ConnectError) {
            do { return try served() } catch { throw ConnectError(.notFound, error.description) }
        }
    }
}
