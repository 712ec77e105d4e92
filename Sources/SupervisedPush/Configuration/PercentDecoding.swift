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
            guard rest.count >= 2, let high = hexDigit(rest.removeFirst()), let low = hexDigit(rest.removeFirst())
            else { throw .noDigits }
            bytes.append(high << 4 | low)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return decoded
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
