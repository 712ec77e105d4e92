import PushHTTP1

/// One exchange with a server, as the machine asks for it.
package struct WebQuery: Sendable, Equatable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    package let address: WebAddress
    /// Whether it shows the token. Only the machine says so, and only for the host of the export.
    package let showsToken: Bool
    /// JSON; empty for none.
    package let body: [UInt8]
    /// The most bytes of an answer's body.
    package let mostBytes: Int
    /// How long it may take.
    package let limit: Duration

    /// The message, with the token if it shows it. Nil if it cannot be written.
    func bytes(token: ManagementToken) -> [UInt8]? {
        var fields = [
            HTTP1Message.Field("host", address.authority), HTTP1Message.Field("user-agent", "pushctl"),
            HTTP1Message.Field("accept", "*/*"), HTTP1Message.Field("connection", "close"),
        ]
        if !body.isEmpty { fields.append(HTTP1Message.Field("content-type", "application/json")) }
        if showsToken { fields.append(HTTP1Message.Field(Self.tokenField, token.secret)) }
        return HTTP1Message(
            .request(method: method.rawValue, target: address.target), fields: fields, body: body
        ).bytes
    }

    /// The header field that has the token.
    static let tokenField = "x-apple-cloudkit-management-token"
}

/// Why an exchange had no answer.
package struct WebFailure: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// No link, a lost one, or no time left. Another attempt can succeed.
        case link
        /// The body is longer than allowed.
        case tooLong
        /// The answer is not HTTP.
        case malformed
        case stopped
    }

    package let kind: Kind
    package let sentence: String
}
