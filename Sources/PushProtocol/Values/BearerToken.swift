/// A provider token in the form the header `authorization` needs it: `bearer` and the JWT.
///
/// It is a secret. Description, debug description and reflection show that there is one, and nothing of it.
public struct BearerToken: Hashable, Sendable {
    /// The largest length of a JWT, in bytes. One of APNs has some two hundred.
    public static let maxBytes = 4_096

    /// The value of the header `authorization`, as bytes.
    package let headerValue: [UInt8]

    /// Takes a token that the caller made: the JWT alone, without `bearer`. It is not renewed by the runtime.
    ///
    /// - Throws: `InvalidPush` with the code `.invalidAuthorization` for an empty text or one with spaces, control
    ///   characters or anything beyond ASCII, `.authorizationTooLong` for one of more than 4,096 bytes.
    public init(_ jwt: some StringProtocol) throws(InvalidPush) {
        let text = String(jwt)
        let length = text.utf8.count
        guard length <= Self.maxBytes else {
            throw InvalidPush(.authorizationTooLong, bytes: length, limit: Self.maxBytes)
        }
        guard HeaderRules.isVisibleASCII(text) else { throw InvalidPush(.invalidAuthorization) }
        self.init(trusted: Array(text.utf8))
    }

    /// Takes the bytes of a JWT that we made.
    init(trusted jwt: [UInt8]) {
        headerValue = Array("bearer ".utf8) + jwt
    }

    /// The JWT. It is a secret: whoever has it can push for an hour.
    public var jwt: String {
        String(decoding: headerValue.dropFirst(7), as: UTF8.self)
    }
}

extension BearerToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same text, which holds nothing of the token.
    public var description: String { "BearerToken(redacted)" }

    /// Always the same text, which holds nothing of the token.
    public var debugDescription: String { description }

    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
