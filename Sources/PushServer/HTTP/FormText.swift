/// Text of the form application/x-www-form-urlencoded: of a query, or of a form.
enum FormText {
    /// The values by name. Of a name that stands twice, the last value.
    static func fields(_ text: some StringProtocol) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            fields[decoded(String(parts[0]))] = parts.count > 1 ? decoded(String(parts[1])) : ""
        }
        return fields
    }

    /// A part of a path, in which a plus sign is one.
    static func percentDecoded(_ text: String) -> String { decoded(text.replacing("+", with: "%2B")) }

    private static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = String(Substring(rest.prefix(2)))
                // A sign would be read as part of a number.
                guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16)
                else {
                    bytes.append(byte)
                    continue
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
