import PushProtocol

/// Decodes percent-encoded text (RFC 3986, section 2.1) of URLs.
package enum PercentDecoding {
    package enum Fault: Error {
        /// Two hexadecimal digits do not follow a percent sign.
        case noDigits
        /// The decoded bytes are not UTF-8.
        case notUTF8
    }

    package static func decode(_ text: Substring) throws(Fault) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let high = Hex.value(of: rest.removeFirst()),
                let low = Hex.value(of: rest.removeFirst())
            else { throw .noDigits }
            bytes.append(high << 4 | low)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return decoded
    }
}
