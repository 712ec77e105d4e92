import Locking
import WireTransport

/// Turns credentials into what a connection works with, once per credential: connections that share one share the token
/// authority and the TLS context, too.
final class CredentialStore: Sendable {
    private struct AuthorityKey: Hashable {
        let teamID: String
        let keyID: String
        let pem: [UInt8]
    }

    private struct ContextKey: Hashable {
        let roots: [UInt8]?
        let certificate: [UInt8]?
        let privateKey: [UInt8]?
        let password: String?
    }

    private struct State {
        var authorities: [AuthorityKey: TokenAuthority] = [:]
        var contexts: [ContextKey: (context: TLSContext, identity: Identity?)] = [:]
    }

    private let time: any TimeSource
    private let state = Locked(State())

    init(time: any TimeSource) { self.time = time }

    /// Reads, parses and checks on the caller's thread.
    func resolve(_ config: ConnectionConfig) throws(ConnectError) -> ResolvedCredential {
        config.credential.warnOfOpenFiles(config.logger)
        let roots = try config.trust.bundle?.read("trust bundle")
        switch config.credential.kind {
        case .token(let source, let keyID, let teamID):
            let keyID = try Self.keyID(keyID, source)
            try Self.requireTenCharacters(keyID, "key id", "It stands beside the key in Apple's developer portal.")
            try Self.requireTenCharacters(teamID, "team id", "It stands under Membership in Apple's developer portal.")
            let authority = try authority(AuthorityKey(teamID: teamID, keyID: keyID, pem: source.read("signing key")))
            let context = try context(ContextKey(roots: roots, certificate: nil, privateKey: nil, password: nil))
            return ResolvedCredential(context: context.context, authority: authority, identity: nil)
        case .certificate(let certificate, let privateKey, let password):
            let pem = try certificate.read("certificate")
            let key = try privateKey?.read("private key") ?? pem
            let entry = try context(
                ContextKey(roots: roots, certificate: pem, privateKey: key, password: password))
            return ResolvedCredential(context: entry.context, authority: nil, identity: entry.identity)
        }
    }

    private static func keyID(_ keyID: String?, _ source: ByteSource) throws(ConnectError) -> String {
        if let keyID { return keyID }
        if let path = source.path, let found = KeyFileName.keyID(in: path) { return found }
        throw ConnectError(
            .credential,
            "No key id is given, and none is in the key's file name: name the file AuthKey_<id>.p8, "
                + "or give the id.")
    }

    private static func requireTenCharacters(
        _ text: String, _ what: String, _ hint: String
    ) throws(ConnectError) {
        guard text.utf8.count == 10, text.utf8.allSatisfy({ isLetterOrDigit($0) }) else {
            throw ConnectError(.credential, "The \(what) \"\(text.prefix(40))\" is not ten letters and digits. \(hint)")
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }

    private func authority(_ key: AuthorityKey) throws(ConnectError) -> TokenAuthority {
        try state.withLock { (state) throws(ConnectError) in
            if let authority = state.authorities[key] { return authority }
            let authority = TokenAuthority(
                key: try Self.explained("signing key") { try SigningKey(pem: key.pem) }, keyID: key.keyID,
                teamID: key.teamID, time: time)
            state.authorities[key] = authority
            return authority
        }
    }

    private func context(_ key: ContextKey) throws(ConnectError) -> (context: TLSContext, identity: Identity?) {
        try state.withLock { (state) throws(ConnectError) in
            if let entry = state.contexts[key] { return entry }
            var identity: Identity?
            if let certificate = key.certificate, let privateKey = key.privateKey {
                let password = key.password.map { Array($0.utf8) }
                identity = try Self.explained("certificate") {
                    try Identity(certificate: certificate, key: privateKey, password: password)
                }
            }
            let trust: WireTransport.TrustRoots = key.roots.map { .pem($0) } ?? .system
            let context = try Self.explained("trust bundle") { try TLSContext.client(trust: trust, identity: identity) }
            state.contexts[key] = (context, identity)
            return (context, identity)
        }
    }

    private static func explained<Value>(
        _ what: String, _ body: () throws -> Value
    ) throws(ConnectError) -> Value {
        do { return try body() } catch { throw ConnectError(.credential, "The \(what) can't be used: \(error)") }
    }
}

/// What a credential became.
struct ResolvedCredential: Sendable {
    let context: TLSContext
    /// Makes provider tokens; nil in certificate mode.
    let authority: TokenAuthority?
    /// The provider certificate; nil in token mode.
    let identity: Identity?
}
