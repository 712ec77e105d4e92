/// Why bytes are no message of HTTP/1.1 that is read here.
package enum HTTP1Problem: Error, Sendable, Equatable {
    /// The first line is neither that of a request nor of an answer.
    case notHTTP
    /// A line is no header field.
    case malformedField
    /// The length of the body is not clear.
    case malformedLength
    /// The head is longer than allowed, or has more fields.
    case headTooLong
    /// The body is longer than allowed.
    case bodyTooLong
    /// The stream ended before the message did.
    case incomplete

    /// What is wrong, as the end of a sentence that names who sent it.
    package var text: String {
        switch self {
        case .notHTTP: "is not HTTP/1.1"
        case .malformedField: "has a malformed header field"
        case .malformedLength: "has a body whose length is not clear"
        case .headTooLong: "has too many bytes of header fields"
        case .bodyTooLong: "is too long"
        case .incomplete: "is incomplete: the connection was closed before its end"
        }
    }
}
