/// Reads the JSON that APNs sends: the body of a rejection, and the debug data of a GOAWAY.
///
/// Nothing here fails: a body that is empty, too long or not JSON gives no result.
package enum ResponseDecoder {
    /// The content of a rejection.
    package struct Rejection: Hashable, Sendable {
        package var reason: RejectionReason?
        /// Milliseconds since 1970 UTC.
        package var timestamp: Int64?
    }

    /// Real bodies have about 60 bytes. Longer ones than this are not parsed.
    package static let maxBodyBytes = 16 * 1024
    /// The longest known reason has 27 characters. A longer text than this is not a reason.
    package static let maxReasonBytes = 128

    /// Creates the answer to one push.
    package static func decode(
        status: Int, headers: ResponseHeaders, body: [UInt8], isComplete: Bool
    ) -> PushResponse {
        PushResponse(status: status, headers: headers, body: body, isComplete: isComplete)
    }

    /// The reason in the debug data of a GOAWAY, such as `{"reason":"BadCertificateEnvironment"}`; nil if there is
    /// none.
    package static func goAwayReason(_ debugData: [UInt8]) -> RejectionReason? {
        rejection(in: debugData)?.reason
    }

    /// Nil unless the body is one JSON object.
    package static func rejection(in body: [UInt8]) -> Rejection? {
        guard !body.isEmpty, body.count <= maxBodyBytes else { return nil }
        return body.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer)
            return try? read(&scanner)
        }
    }

    private static func read(_ scanner: inout JSONScanner) throws(JSONScanner.Malformed) -> Rejection {
        var rejection = Rejection()
        try scanner.object { (scanner, name) throws(JSONScanner.Malformed) in
            switch name {
            case "reason": rejection.reason = reason(try scanner.value(depth: 1))
            case "timestamp": rejection.timestamp = milliseconds(try scanner.value(depth: 1))
            default: try scanner.skipValue(depth: 1)
            }
        }
        try scanner.end()
        return rejection
    }

    /// A reason is written to logs and files, so reject characters that could forge a line. All reasons of APNs are
    /// ASCII.
    private static func reason(_ value: JSONValue) -> RejectionReason? {
        guard case .string(let text) = value, text.utf8.count <= maxReasonBytes, HeaderRules.isFieldValue(text),
            text.utf8.allSatisfy({ $0 < 0x80 })
        else { return nil }
        return RejectionReason(rawValue: text)
    }

    /// An integer by the documentation; also accepts a fraction, and a string of digits.
    private static func milliseconds(_ value: JSONValue) -> Int64? {
        let number: Int64? =
            switch value {
            case .integer(let number): Int64(number)
            case .double(let number): Int64(truncating: number)
            case .string(let text):
                Int64(text) ?? Double(text).flatMap { Int64(truncating: $0) }
            default: nil
            }
        guard let number, number > 0 else { return nil }
        return number
    }
}
