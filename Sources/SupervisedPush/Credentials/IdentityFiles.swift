import WireTransport

/// What a certificate credential is made of, read and not parsed yet.
struct IdentityFiles {
    private enum Form {
        /// The key is nil where the certificate's file holds it.
        case separate(key: [UInt8]?)
        case pkcs12
    }

    private let certificate: [UInt8]
    private let form: Form
    private let password: [UInt8]?

    /// Reads the files; nil for a credential without a certificate.
    init?(_ credential: Credential, again: Bool) throws(ConnectError) {
        let password: String?
        switch credential.kind {
        case .token, .tokens: return nil
        case .certificate(let file, let privateKey, let secret):
            certificate = try file.read("certificate", again: again)
            form = .separate(key: try privateKey?.read("private key", again: again))
            password = secret
        case .pkcs12(let file, let secret):
            certificate = try file.read("PKCS#12 file", again: again)
            form = .pkcs12
            password = secret
        }
        self.password = password.map { Array($0.utf8) }
    }

    /// What tells it from others.
    var parts: [[UInt8]?] {
        switch form {
        case .separate(let key): [[0], certificate, key, password]
        case .pkcs12: [[1], certificate, password]
        }
    }

    func identity() throws(KeyError) -> Identity {
        switch form {
        case .separate(let key): try Identity(certificate: certificate, key: key, password: password)
        case .pkcs12: try Identity(pkcs12: certificate, password: password)
        }
    }
}
