import CPushNghttp2

/// Why a session refused a call or failed.
///
/// Only `cannotOpenStream` and `headersTooLarge` leave the session alive.
package struct SessionError: Error, Hashable, Sendable {
    package struct Code: Hashable, Sendable {
        package let name: String

        /// One side sent GOAWAY, the ids ran out, or the session failed: open the stream on another connection.
        package static let cannotOpenStream = Code(name: "cannotOpenStream")
        /// The request's fields exceed the largest header block that is ever sent.
        package static let headersTooLarge = Code(name: "headersTooLarge")
        /// The peer broke HTTP/2. A GOAWAY that says so can still be produced.
        package static let protocolViolation = Code(name: "protocolViolation")
        /// The peer sends too much to no purpose: it made us queue more answers than we hold, or continues a header
        /// block without end.
        package static let flooded = Code(name: "flooded")
        /// Out of memory, or a bug of ours.
        package static let failed = Code(name: "failed")
    }

    package let code: Code
    /// The code of the GOAWAY with which we answer a violation.
    package let reason: HTTP2ErrorCode?
    /// A sentence that says what happened and what to do.
    package let sentence: String

    init(_ code: Code, reason: HTTP2ErrorCode? = nil, _ sentence: String) {
        self.code = code
        self.reason = reason
        self.sentence = sentence
    }

    /// Translates a negative return value of nghttp2.
    init(nativeCode: Int) {
        let number = Int32(truncatingIfNeeded: nativeCode)
        let text = String(cString: nghttp2_strerror(number))
        switch number {
        case NGHTTP2_ERR_FLOODED.rawValue, Self.tooManyContinuations:
            self.init(.flooded, reason: .enhanceYourCalm, "The peer floods this connection with frames: close it.")
        case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue:
            self.init(
                .protocolViolation, reason: .protocolError,
                "The client does not speak HTTP/2 (no connection preface): close the connection.")
        default:
            self.init(.failed, "The HTTP/2 session failed (\(text)): close the connection and open another.")
        }
    }

    /// NGHTTP2_ERR_TOO_MANY_CONTINUATIONS, which headers before 1.61 may lack.
    private static let tooManyContinuations: Int32 = -905

    static func violation(_ reason: HTTP2ErrorCode, _ detail: String) -> SessionError {
        let middle = detail.isEmpty ? "" : ", \(detail)"
        return SessionError(
            .protocolViolation, reason: reason,
            "The peer broke the HTTP/2 protocol (\(reason)\(middle)): close the connection and open another.")
    }
}

extension SessionError: CustomStringConvertible {
    package var description: String { sentence }
}
