/// A provider token: the signed statement "this is team T with key K, at time t" (JWT, RFC 7519, signed ES256), which
/// APNs takes for an hour.
///
/// A value: it has no clock. Each of its rules is asked with the time it shall be judged at, in seconds since 1970 UTC.
/// It is a secret: descriptions and reflection show key id, team id and time only.
public struct ProviderToken: Hashable, Sendable {
    /// From this age on a new token may take its place, in seconds: APNs answers sooner changes with
    /// `TooManyProviderTokenUpdates`.
    public static let minimumRenewalAge: Int64 = 20 * 60
    /// From this age on a new token has to take its place, in seconds.
    public static let renewalAge: Int64 = 50 * 60
    /// From this age on APNs refuses it, in seconds.
    public static let maximumAge: Int64 = 60 * 60
    /// A token this far in the future, in seconds, was made by a wrong clock, or the clock was set back since.
    public static let clockTolerance: Int64 = 60

    /// The id of the key that signed it.
    public let keyID: String
    /// The team the key belongs to.
    public let teamID: String
    /// The time it was made (`iat`), in seconds since 1970 UTC.
    public let issuedAt: Int64
    /// The token as the header `authorization` needs it.
    public let bearer: BearerToken

    /// The JWT. It is a secret: whoever has it can push for an hour.
    public var jwt: String { bearer.jwt }

    /// The value of the header `authorization`, as bytes.
    package var headerValue: [UInt8] { bearer.headerValue }

    /// What is to be signed: header and claims, each in base64url, joined by a point.
    package static func signingInput(keyID: String, teamID: String, issuedAt: Int64) -> [UInt8] {
        var header = JSONWriter(capacity: 64)
        header.beginObject()
        header.member("alg", "ES256")
        header.member("kid", keyID)
        header.endObject()
        var claims = JSONWriter(capacity: 64)
        claims.beginObject()
        claims.member("iss", teamID)
        claims.name("iat")
        claims.integer(issuedAt)
        claims.endObject()
        return Base64URL.encode(header.bytes) + [UInt8(ascii: ".")] + Base64URL.encode(claims.bytes)
    }

    /// Makes the token from a signing function: an ES256 signature in the raw form r‖s (RFC 7518 section 3.4).
    ///
    /// - Parameter sign: gets the signing input; must give 64 bytes.
    /// - Throws: what `sign` throws. Nil if the signature does not have 64 bytes.
    package init?<Failure: Error>(
        keyID: String, teamID: String, issuedAt: Int64, sign: ([UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        let input = Self.signingInput(keyID: keyID, teamID: teamID, issuedAt: issuedAt)
        let signature = try sign(input)
        guard signature.count == 64 else { return nil }
        self.keyID = keyID
        self.teamID = teamID
        self.issuedAt = issuedAt
        bearer = BearerToken(trusted: input + [UInt8(ascii: ".")] + Base64URL.encode(signature))
    }

    // MARK: Age

    /// The age in seconds; negative if the token comes from the future of that clock.
    public func age(at now: Int64) -> Int64 {
        let (age, overflow) = now.subtractingReportingOverflow(issuedAt)
        return overflow ? (now < issuedAt ? .min : .max) : age
    }

    /// Whether it can be used without a thought of renewal: the opposite of `mustRenew(at:)`.
    public func isFresh(at now: Int64) -> Bool { !mustRenew(at: now) }

    /// Whether a new token has to take its place: 50 minutes old, or from the future by more than a minute.
    public func mustRenew(at now: Int64) -> Bool {
        let age = age(at: now)
        return age >= Self.renewalAge || age < -Self.clockTolerance
    }

    /// Whether APNs permits a new token to take its place: 20 minutes old, or to be renewed anyway.
    public func mayRenew(at now: Int64) -> Bool {
        age(at: now) >= Self.minimumRenewalAge || mustRenew(at: now)
    }

    /// Whether APNs refuses it for its age: an hour.
    public func isExpired(at now: Int64) -> Bool { age(at: now) >= Self.maximumAge }
}

extension ProviderToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Key id, team id and time; nothing of the token.
    public var description: String { "ProviderToken(key \(keyID), team \(teamID), issued at \(issuedAt), redacted)" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
