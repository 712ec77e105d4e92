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
