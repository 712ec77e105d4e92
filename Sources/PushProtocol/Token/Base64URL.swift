/// Base 64 with the URL-safe alphabet and without padding (RFC 4648, section 5), as in a JWT.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count * 4 + 2) / 3)
        var index = 0
        while index < bytes.count {
            let group = bytes[index..<min(index + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            // n bytes become n + 1 digits of six bits each.
            for digit in 0...group.count {
                result.append(alphabet[Int(bits >> UInt32(18 - 6 * digit)) & 0x3f])
            }
            index += 3
        }
        return result
    }
}
