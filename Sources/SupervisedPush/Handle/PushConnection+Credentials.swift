/// Replacing a credential while pushes flow.
extension PushConnection {
    /// Replaces the connection's credential, without losing or repeating a push.
    ///
    /// The key or certificate is read and checked first, on a thread that may block, for at most a minute. The
    /// connection then dials with it. Until the new link is up, pushes go over the old one, which then finishes the
    /// pushes it has. If no link comes up with the new credential, the old one stays in use and this call throws.
    ///
    /// If no link is up (at the start, in an outage, or while the old credential is refused), the connection adopts the
    /// new credential at once, dials with it, and this call returns. The same credential again changes nothing, except
    /// while the connection is suspended: then it is tried at once.
    ///
    /// In token mode, APNs judges a key by the first push that shows its token. If APNs does not know the key, the
    /// connection posts ``LifecycleMessage/suspended(pid:name:cause:nextProbe:)``, as for any refused credential.
    ///
    /// A pool tries the new credential with one of its connections. Once that connection is up, all others follow.
    ///
    /// - Parameters:
    ///   - credential: A signing key or a certificate; one may replace the other.
    ///   - trust: The authorities to trust from now on. Nil, the default, keeps the present ones.
    /// - Throws: ``ConnectError``: `credential` if the credential cannot be read or used, `replacement` if no link came
    ///   up with it or another credential was offered in the meantime, `notFound` if the connection has ended.
    public func replaceCredential(with credential: Credential, trust: TrustRoots? = nil) async throws(ConnectError) {
        try await servedConnection.replaceCredential(credential, trust: trust, reader: runtime.credentialReader)
    }

    /// Reads the connection's credential and trust roots again. If they changed, or if the connection is suspended,
    /// they replace what is in use, as with ``replaceCredential(with:trust:)``. Call it on SIGHUP, for example. To
    /// reload without a call, see ``PushConnection/Configuration/credentialReload``.
    ///
    /// Reading files and calling loaders and token sources takes at most a minute. Only regular files are read again; a
    /// pipe is not. If another credential is given in the meantime, that one is used, and what was read is dropped.
    ///
    /// - Throws: ``ConnectError``: `credential` if the credential cannot be read, loaded or used, `replacement` if no
    ///   link came up with it, `notFound` if the connection has ended.
    public func reloadCredential() async throws(ConnectError) {
        let end = try await servedConnection.reloadCredential(isPoll: false, reader: runtime.credentialReader)
        if case .failed(let error) = end { throw error }
    }

    private var servedConnection: any Destination {
        get throws(ConnectError) {
            do { return try served() } catch { throw ConnectError(.notFound, error.description) }
        }
    }
}
