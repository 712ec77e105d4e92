import CPushOpenSSL
import FoundationEssentials

/// Disposable credentials for a rehearsal: an authority, a server certificate, a signing key and a provider
/// certificate, made in the process within milliseconds, without the `openssl` command.
///
/// The server certificate is valid for `localhost`, `127.0.0.1`, `::1` and `apns.test`. The last one is for rehearsals
/// through a proxy, which does not reach this machine by its own names. A client trusts ``authorityPEM`` and verifies
/// as always. All keys are EC on P-256. All certificates are valid from yesterday for a year; the provider certificate
/// also for the ten years before, so that it is valid under a manual clock. A value that is safe to share between
/// threads and simulators.
public struct ThrowAwayCredentials: Sendable {
    /// The id of ``signingKeyPEM``: ten characters.
    public private(set) var keyID: String
    /// The team of the signing key and the provider certificate: ten characters.
    public let teamID: String
    /// The topic of the provider certificate.
    public let topic: String
    /// The authority's certificate. Clients trust it, and the server trusts provider certificates that it issued.
    public private(set) var authorityPEM: String
    /// The authority's private key, PKCS#8; nil if it was not among the files. Only faults with other certificates need
    /// it.
    package let authorityKeyPEM: String?
    /// The server's certificate.
    public private(set) var serverCertificatePEM: String
    /// The server's private key, PKCS#8.
    public private(set) var serverKeyPEM: String
    /// The signing key in the form of a `.p8` file.
    public private(set) var signingKeyPEM: String
    /// A provider certificate for both environments. Its subject UID and its list of topics contain ``topic`` with its
    /// usual suffixes.
    public private(set) var providerCertificatePEM: String
    /// The provider certificate's private key, PKCS#8.
    public private(set) var providerKeyPEM: String

    /// Makes new credentials.
    ///
    /// - Parameters:
    ///   - topic: The bundle id of the provider certificate.
    ///   - keyID: Ten capital letters or digits; random by default.
    ///   - teamID: Ten capital letters or digits; random by default.
    ///   - environments: The environments of the provider certificate; both by default.
    /// - Throws: `invalidCredential` for a malformed id or an empty topic, `cryptography` if OpenSSL fails.
    public init(
        topic: String = "com.example.app", keyID: String? = nil, teamID: String? = nil,
        environments: Set<SimulatedEnvironment> = Set(SimulatedEnvironment.allCases)
    ) throws(SimulatorError) {
        self.keyID = try Self.identifier(keyID, "key id")
        self.teamID = try Self.identifier(teamID, "team id")
        guard !topic.isEmpty else { throw SimulatorError(.invalidCredential, "The topic is empty: give a bundle id.") }
        self.topic = topic
        let authorityKey = try KeyObject.makeP256()
        let authority = try Self.makeAuthority(authorityKey)
        let serverKey = try KeyObject.makeP256()
        let server = try Self.makeServer(serverKey, authority: authority, authorityKey: authorityKey)
        let providerKey = try KeyObject.makeP256()
        let provider = try Self.makeProvider(
            providerKey, topic: topic, teamID: self.teamID, environments: environments, authority: authority,
            authorityKey: authorityKey)
        authorityPEM = try authority.pem()
        authorityKeyPEM = try authorityKey.privatePEM()
        serverCertificatePEM = try server.pem()
        serverKeyPEM = try serverKey.privatePEM()
        signingKeyPEM = try KeyObject.makeP256().privatePEM()
        providerCertificatePEM = try provider.pem()
        providerKeyPEM = try providerKey.privatePEM()
    }

    /// Reads the files that ``write(to:)`` wrote.
    ///
    /// - Throws: `file` if a file is missing or unreadable, or there is not exactly one `AuthKey_<id>.p8`;
    ///   `invalidCredential` if the content of a file is not valid.
    public init(directory: String) throws(SimulatorError) {
        let files = try Files(in: directory)
        keyID = files.keyID
        authorityPEM = try FileAccess.read(files.authority)
        // Directories written by earlier versions do not contain it.
        authorityKeyPEM = try? FileAccess.read(files.authorityKey)
        serverCertificatePEM = try FileAccess.read(files.serverCertificate)
        serverKeyPEM = try FileAccess.read(files.serverKey)
        signingKeyPEM = try FileAccess.read(files.signingKey)
        providerCertificatePEM = try FileAccess.read(files.providerCertificate)
        providerKeyPEM = try FileAccess.read(files.providerKey)
        guard let authority = CertificateObject(pem: authorityPEM) else {
            throw SimulatorError(.invalidCredential, "\(files.authority) contains no certificate.")
        }
        guard KeyObject(pem: signingKeyPEM) != nil else {
            throw SimulatorError(.invalidCredential, "\(files.signingKey) contains no unencrypted private key.")
        }
        try Self.check(
            serverCertificatePEM, keyPEM: serverKeyPEM, authority: authority, asServer: true,
            path: files.serverCertificate)
        let certificate = try Self.check(
            providerCertificatePEM, keyPEM: providerKeyPEM, authority: authority, asServer: false,
            path: files.providerCertificate)
        let provider = ProviderCertificate(certificate)
        guard let teamID = provider.teamID, let topic = provider.subjectUID else {
            throw SimulatorError(
                .invalidCredential, "\(files.providerCertificate) must have the topic as UID and the team as OU.")
        }
        self.teamID = teamID
        self.topic = topic
    }

    /// The signing key for the simulator's configuration: for every topic of the team, in both environments.
    ///
    /// - Throws: `invalidCredential` if ``signingKeyPEM`` came from a file and is not an EC key on P-256.
    public func signingKey() throws(SimulatorError) -> ProviderKey {
        try ProviderKey(pem: signingKeyPEM, keyID: keyID, teamID: teamID)
    }

    /// A provider token signed with the signing key, for an `authorization: bearer` header: for `curl` in a shell, and
    /// for tests.
    ///
    /// - Parameter issuedAt: The claim `iat`, rounded down to the second. By default now.
    /// - Throws: `cryptography` if OpenSSL fails, `invalidCredential` if ``signingKeyPEM`` is not a key.
    public func providerToken(issuedAt: Date = .now) throws(SimulatorError) -> String {
        guard let key = KeyObject(pem: signingKeyPEM) else {
            throw SimulatorError(.invalidCredential, "The signing key is not PEM, or is encrypted.")
        }
        guard let seconds = Int64(exactly: issuedAt.timeIntervalSince1970.rounded(.down)) else {
            throw SimulatorError(.invalidCredential, "The token's date is not one that a number of seconds can hold.")
        }
        return try TokenMaker(keyID: keyID, teamID: teamID, key: key).token(issuedAt: "\(seconds)")
    }

    /// Returns the same provider with a new signing key under a new id, and a new certificate of the same authority, as
    /// after a renewal.
    ///
    /// For rehearsing a rotation: add ``signingKey()`` of the copy to ``SimulatedAPNs/Configuration/keys``. The
    /// certificate is valid at once.
    ///
    /// - Throws: `invalidCredential` if the authority's key is missing, `cryptography` if OpenSSL fails.
    public func renewed() throws(SimulatorError) -> ThrowAwayCredentials { try renewed(certificateTopic: topic) }

    /// Like ``renewed()``, with a provider certificate for another app.
    package func renewed(certificateTopic: String) throws(SimulatorError) -> ThrowAwayCredentials {
        let (authority, authorityKey) = try issuer()
        let key = try KeyObject.makeP256()
        let provider = try Self.makeProvider(
            key, topic: certificateTopic, teamID: teamID, environments: Set(SimulatedEnvironment.allCases),
            authority: authority, authorityKey: authorityKey)
        var copy = self
        copy.keyID = try Self.identifier(nil, "key id")
        copy.signingKeyPEM = try KeyObject.makeP256().privatePEM()
        copy.providerCertificatePEM = try provider.pem()
        copy.providerKeyPEM = try key.privatePEM()
        return copy
    }

    /// Returns credentials whose server certificate is valid for these names, besides the usual ones.
    ///
    /// The same credentials if it is already valid for all of them. Otherwise the authority issues a new server
    /// certificate with a new key; clients, which trust the authority, need nothing new.
    ///
    /// - Throws: `invalidCredential` if the authority's key is missing, `cryptography` if OpenSSL fails.
    package func serving(_ names: [ServerName]) throws(SimulatorError) -> ThrowAwayCredentials {
        if let certificate = CertificateObject(pem: serverCertificatePEM),
            names.allSatisfy({ certificate.isValid(for: $0) })
        {
            return self
        }
        let all = ([Self.usualNames] + names.map(\.subjectAlternativeName)).joined(separator: ",")
        let server = try otherServer(names: all, days: -1...365)
        var copy = self
        copy.serverCertificatePEM = server.certificate
        copy.serverKeyPEM = server.key
        return copy
    }

    /// Returns the same keys and certificates with another authority to trust. The other's simulator does not trust
    /// this provider's certificate.
    package func trusting(_ other: ThrowAwayCredentials) -> ThrowAwayCredentials {
        var copy = self
        copy.authorityPEM = other.authorityPEM
        return copy
    }

    /// Checks that a certificate, its key and the authority belong together, because a directory may contain remains of
    /// two runs.
    @discardableResult
    private static func check(
        _ pem: String, keyPEM: String, authority: CertificateObject, asServer: Bool, path: String
    ) throws(SimulatorError) -> CertificateObject {
        guard let certificate = CertificateObject(pem: pem), let key = KeyObject(pem: keyPEM) else {
            throw SimulatorError(.invalidCredential, "\(path) or its key is not PEM, or the key is encrypted.")
        }
        guard certificate.belongs(to: key), certificate.isTrusted(by: authority, asServer: asServer) else {
            throw SimulatorError(
                .invalidCredential,
                "\(path), its key and ca.pem do not belong together, or have expired: empty the directory and "
                    + "make new ones."
            )
        }
        return certificate
    }

    private static func identifier(_ given: String?, _ what: String) throws(SimulatorError) -> String {
        let characters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        guard let given else { return String((0..<10).map { _ in characters[Int.random(in: 0..<characters.count)] }) }
        guard given.utf8.count == 10,
            given.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) })
        else { throw SimulatorError(.invalidCredential, "The \(what) must be ten capital letters or digits.") }
        return given
    }
}

/// The three certificates.
extension ThrowAwayCredentials {
    private static func makeAuthority(_ key: KeyObject) throws(SimulatorError) -> CertificateObject {
        let builder = try CertificateBuilder(for: key, subject: [("CN", "Throw-away push authority")])
        try builder.add(NID_basic_constraints, "critical,CA:TRUE")
        try builder.add(NID_key_usage, "critical,keyCertSign,cRLSign")
        try builder.add(NID_subject_key_identifier, "hash")
        return try builder.sign(by: nil, key)
    }

    /// Makes another certificate and key for a server, issued by the same authority.
    ///
    /// - Parameters:
    ///   - names: The names it is valid for, in OpenSSL's notation; nil for the usual names.
    ///   - days: The days of its validity, counted from today.
    func otherServer(
        names: String?, days: ClosedRange<Int>
    ) throws(SimulatorError) -> (certificate: String, key: String) {
        let (authority, authorityKey) = try issuer()
        let key = try KeyObject.makeP256()
        let server = try Self.makeServer(
            key, authority: authority, authorityKey: authorityKey, names: names, days: days)
        return (try server.pem(), try key.privatePEM())
    }

    private func issuer() throws(SimulatorError) -> (CertificateObject, KeyObject) {
        guard let pem = authorityKeyPEM, let key = KeyObject(pem: pem),
            let authority = CertificateObject(pem: authorityPEM)
        else {
            throw SimulatorError(
                .invalidCredential,
                "The authority's key (ca-key.pem) is missing, so no other certificate can be made: use an empty "
                    + "directory for new credentials."
            )
        }
        return (authority, key)
    }

    /// The names of every server certificate, in OpenSSL's notation.
    private static let usualNames = "DNS:localhost,IP:127.0.0.1,IP:::1,DNS:apns.test"

    private static func makeServer(
        _ key: KeyObject, authority: CertificateObject, authorityKey: KeyObject, names: String? = nil,
        days: ClosedRange<Int> = -1...365
    ) throws(SimulatorError) -> CertificateObject {
        let builder = try CertificateBuilder(for: key, subject: [("CN", "localhost")], days: days)
        try builder.add(NID_basic_constraints, "critical,CA:FALSE")
        try builder.add(NID_key_usage, "critical,digitalSignature")
        try builder.add(NID_ext_key_usage, "serverAuth")
        try builder.add(NID_subject_alt_name, names ?? usualNames)
        try builder.add(NID_authority_key_identifier, "keyid", issuer: authority)
        return try builder.sign(by: authority, authorityKey)
    }

    private static func makeProvider(
        _ key: KeyObject, topic: String, teamID: String, environments: Set<SimulatedEnvironment>,
        authority: CertificateObject, authorityKey: KeyObject
    ) throws(SimulatorError) -> CertificateObject {
        let builder = try CertificateBuilder(
            for: key, subject: [("CN", "Apple Push Services: \(topic)"), ("UID", topic), ("OU", teamID)],
            days: -3_650...365)
        try builder.add(NID_basic_constraints, "critical,CA:FALSE")
        try builder.add(NID_key_usage, "critical,digitalSignature")
        try builder.add(NID_ext_key_usage, "clientAuth")
        try builder.add(NID_authority_key_identifier, "keyid", issuer: authority)
        if environments.contains(.development) { try builder.add(PushExtension.development, der: DER.null) }
        if environments.contains(.production) { try builder.add(PushExtension.production, der: DER.null) }
        let topics = [
            (topic, "app"), (topic + ".voip", "voip"), (topic + ".complication", "complication"),
            (topic + ".push-type.liveactivity", "liveactivity"),
        ]
        try builder.add(PushExtension.topics, der: DER.encode(topics: topics))
        return try builder.sign(by: authority, authorityKey)
    }
}
