import FoundationEssentials

/// A provider token: the signed statement "this is team T with key K, at time t" (JWT, RFC 7519, signed with ES256).
/// APNs accepts it for one hour.
///
/// A value without a clock: each rule takes the current time as an argument. The token is
/// secret: descriptions and reflection show only key id, team id and time.
public struct ProviderToken: Hashable, Sendable {
    /// The age from which a new token may replace it. APNs answers earlier changes with
    /// `TooManyProviderTokenUpdates`.
    public static let minimumRenewalAge = Duration.seconds(20 * 60)
    /// The age from which a new token must replace it.
    public static let renewalAge = Duration.seconds(50 * 60)
    /// The age from which APNs rejects it.
    public static let maximumAge = Duration.seconds(60 * 60)
    /// How far in the future a token may be. Beyond that, the clock was wrong when it was made, or was set
    /// back since.
    public static let clockTolerance = Duration.seconds(60)

    /// The id of the key that signed it.
    public let keyID: String
    /// The team that the key belongs to.
    public let teamID: String
    /// When it was made (`iat`), in seconds since 1970 UTC.
    package let issuedAtSeconds: Int64
    /// The token in the form of the header `authorization`.
    public let bearer: BearerToken

    /// When it was made (`iat`).
    public var issuedAt: Date { Date(unixSeconds: issuedAtSeconds) }

    /// The JWT. It is secret: it allows anyone to push for an hour.
    public var jwt: String { bearer.jwt }

    /// The value of the header `authorization`, as bytes.
    package var headerValue: [UInt8] { bearer.headerValue }

    /// The bytes to sign: header and claims, each in base64url, joined by a period.
    package static func signingInput(keyID: String, teamID: String, issuedAtSeconds: Int64) -> [UInt8] {
        var header = JSONWriter(capacity: 64)
        header.beginObject()
        header.member("alg", "ES256")
        header.member("kid", keyID)
        header.endObject()
        var claims = JSONWriter(capacity: 64)
        claims.beginObject()
        claims.member("iss", teamID)
        claims.name("iat")
        claims.integer(issuedAtSeconds)
        claims.endObject()
        return Base64URL.encode(header.bytes) + [UInt8(ascii: ".")] + Base64URL.encode(claims.bytes)
    }

    /// Makes the token with a signing function. Nil if the signature does not have 64 bytes.
    ///
    /// - Parameter sign: Receives the signing input. Must return an ES256 signature of 64 bytes in the raw form r‖s
    ///   (RFC 7518, section 3.4).
    /// - Throws: The error of `sign`.
    package init?<Failure: Error>(
        keyID: String, teamID: String, issuedAtSeconds: Int64, sign: ([UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        let input = Self.signingInput(keyID: keyID, teamID: teamID, issuedAtSeconds: issuedAtSeconds)
        let signature = try sign(input)
        guard signature.count == 64 else { return nil }
        self.keyID = keyID
        self.teamID = teamID
        self.issuedAtSeconds = issuedAtSeconds
        bearer = BearerToken(trusted: input + [UInt8(ascii: ".")] + Base64URL.encode(signature))
    }

    // MARK: Age

    /// The age; negative if the token is from the future by that clock.
    public func age(at now: Date) -> Duration {
        // A `Duration` holds more than any difference of two of these numbers.
        .milliseconds(now.unixMilliseconds) - .seconds(issuedAtSeconds)
    }

    /// Whether it needs no renewal yet: the opposite of `mustRenew(at:)`.
    public func isFresh(at now: Date) -> Bool { !mustRenew(at: now) }

    /// Whether a new token must replace it: it is 50 minutes old, or more than a minute from the future.
    public func mustRenew(at now: Date) -> Bool {
        let age = age(at: now)
        return age >= Self.renewalAge || age < .zero - Self.clockTolerance
    }

    /// Whether APNs allows a new token to replace it: it is 20 minutes old, or must be renewed anyway.
    public func mayRenew(at now: Date) -> Bool {
        age(at: now) >= Self.minimumRenewalAge || mustRenew(at: now)
    }

    /// Whether APNs rejects it because of its age: one hour.
    public func isExpired(at now: Date) -> Bool { age(at: now) >= Self.maximumAge }
}

extension ProviderToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Key id, team id and time. Contains nothing of the token.
    public var description: String {
        "ProviderToken(key \(keyID), team \(teamID), issued at \(issuedAtSeconds), redacted)"
    }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A provider token in the form of the header `authorization`: `bearer` and the JWT.
///
/// It is secret. Description, debug description and reflection show nothing of it.
public struct BearerToken: Hashable, Sendable {
    /// The largest length of a JWT in bytes. Those of APNs have about two hundred.
    public static let maxBytes = 4_096

    /// The value of the header `authorization`, as bytes.
    package let headerValue: [UInt8]

    /// Creates a token from a JWT of your own, without `bearer`. The runtime does not renew it.
    ///
    /// - Throws: `InvalidPush` with the code `.invalidAuthorization` if the text is empty or contains spaces, control
    ///   characters or non-ASCII characters, or `.authorizationTooLong` if it has more than 4,096 bytes.
    public init(_ jwt: some StringProtocol) throws(InvalidPush) {
        let text = String(jwt)
        let length = text.utf8.count
        guard length <= Self.maxBytes else {
            throw InvalidPush(.authorizationTooLong, bytes: length, limit: Self.maxBytes)
        }
        guard HeaderRules.isVisibleASCII(text) else { throw InvalidPush(.invalidAuthorization) }
        self.init(trusted: Array(text.utf8))
    }

    /// Creates a token from the bytes of a JWT that we made.
    init(trusted jwt: [UInt8]) {
        headerValue = Array("bearer ".utf8) + jwt
    }

    /// The JWT. It is secret: it allows anyone to push for an hour.
    public var jwt: String {
        String(decoding: headerValue.dropFirst(7), as: UTF8.self)
    }
}

extension BearerToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same text, which contains nothing of the token.
    public var description: String { "BearerToken(redacted)" }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Base 64 with the URL-safe alphabet and without padding (RFC 4648, section 5), as in a JWT.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count * 4 + 2) / 3)
        var index = 0
        while index < bytes.count {
            let group = bytes[index..<min(index + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            // n bytes become n + 1 digits of six bits each.
            for digit in 0...group.count {
                result.append(alphabet[Int(bits >> UInt32(18 - 6 * digit)) & 0x3f])
            }
            index += 3
        }
        return result
    }
}

/// The file name of a signing key from Apple: `AuthKey_<key id>.p8`.
package enum KeyFileName {
    /// The key id in a path: the part after the last `_` of the file name, without its extension. Nil unless it
    /// consists of letters and digits, as key ids do; the caller must then ask for it.
    package static func keyID(in path: String) -> String? {
        guard let name = path.split(separator: "/", omittingEmptySubsequences: false).last,
            let underscore = name.lastIndex(of: "_")
        else { return nil }
        let id = name[name.index(after: underscore)...].prefix { $0 != "." }
        guard !id.isEmpty, id.utf8.allSatisfy(isLetterOrDigit) else { return nil }
        return String(id)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
