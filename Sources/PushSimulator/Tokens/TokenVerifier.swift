import FoundationEssentials
import PushLocking

/// A provider token with a valid signature. Its age is checked at each push.
struct VerifiedToken: Sendable {
    let key: ProviderKey
    /// `iat`, in seconds since 1970.
    let issuedAt: Double

    /// Why the token cannot be used at this time; nil if it can. Tokens older than an hour are expired; those more than
    /// an hour in the future are invalid.
    func refusal(atMilliseconds wallClock: Int64) -> Refusal? {
        let age = Double(wallClock) / 1000 - issuedAt
        if age > 3600 { return .expiredProviderToken }
        if age < -3600 { return .invalidProviderToken }
        return nil
    }
}

/// Verifies provider tokens: JWTs signed with ES256 (RFC 7519, RFC 7518).
///
/// Valid signatures are cached by the token's bytes. The cache has 1,024 entries and is emptied when it is full. May be
/// used from any thread.
final class TokenVerifier: Sendable {
    private static let memory = 1024

    private struct Header: Decodable {
        let alg: String
        let kid: String
    }

    private struct Claims: Decodable {
        let iss: String
        let iat: Double
    }

    private let keys: [String: ProviderKey]
    private let known = Locked<[Octets: VerifiedToken]>([:])

    /// - Parameter keys: The accepted keys. If two have the same id, the later one counts.
    init(keys: [ProviderKey]) {
        self.keys = Dictionary(keys.map { ($0.keyID, $0) }) { _, later in later }
    }

    /// The token's content; nil if it does not consist of three parts of base64url and JSON, is not ES256, belongs to
    /// an unknown key or another team, or has a wrong signature.
    func verify(_ token: Octets) -> VerifiedToken? {
        if let found = known.withLock({ $0[token] }) { return found }
        guard let verified = examine(token) else { return nil }
        // A copy, because the slice would keep the whole header block alive.
        let key = Octets(Array(token))
        known.withLock { known in
            if known.count >= Self.memory { known.removeAll(keepingCapacity: true) }
            known[key] = verified
        }
        return verified
    }

    private func examine(_ token: Octets) -> VerifiedToken? {
        let parts = token.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header: Header = decode(parts[0]), header.alg == "ES256", let key = keys[header.kid],
            let claims: Claims = decode(parts[1]), claims.iss == key.teamID,
            let signature = Base64URL.decode(parts[2])
        else { return nil }
        let signed = token[parts[0].startIndex..<parts[1].endIndex]
        guard ECDSASignature.isValid(signature, of: signed, by: key.key) else { return nil }
        return VerifiedToken(key: key, issuedAt: claims.iat)
    }

    private func decode<Part: Decodable>(_ text: Octets) -> Part? {
        guard let bytes = Base64URL.decode(text) else { return nil }
        return try? JSONDecoder().decode(Part.self, from: Data(bytes))
    }
}
