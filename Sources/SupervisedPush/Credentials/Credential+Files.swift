import Logging

extension Credential {
    /// Secrets that others on this machine may read get a warning, not a refusal: containers often mount them so.
    func warnOfOpenFiles(_ logger: Logger?) {
        for source in secrets where source.isReadableByOthers {
            logger?.warning(
                "a key file is readable by others: chmod 600 it", metadata: ["file": "\(source.path ?? "")"])
        }
    }

    /// Signs a provider token with this credential; nil for a certificate.
    ///
    /// For tools that need one token. A connection makes and renews its own, see `PushRuntime.providerToken(name:)`;
    /// APNs refuses more than one new token every 20 minutes.
    ///
    /// - Throws: ``ConnectError`` if the key cannot be read or used.
    public func makeProviderToken() throws(ConnectError) -> ProviderToken? {
        guard case .token = kind else { return nil }
        let time = SystemTime()
        let config = ConnectionConfig(credential: self)
        guard let authority = try CredentialStore(time: time).resolve(config).authority else { return nil }
        do { return try authority.providerToken(time.now) } catch {
            throw ConnectError(.credential, "The provider token could not be signed: \(error)")
        }
    }

    /// Everything it is read from.
    var sources: [ByteSource] {
        switch kind {
        case .token(let key, _, _, _): [key]
        case .tokens: []
        case .certificate(let certificate, let privateKey, _): [certificate, privateKey].compactMap(\.self)
        case .pkcs12(let file, _): [file]
        }
    }

    private var secrets: [ByteSource] {
        switch kind {
        case .token(let key, _, _, _): [key]
        case .tokens: []
        case .certificate(let certificate, let privateKey, _): [privateKey ?? certificate]
        case .pkcs12(let file, _): [file]
        }
    }
}
