/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5; RFC 7515, section 2).
enum Base64URL {
    /// The decoded bytes; nil if a character is outside the alphabet or the length is impossible.
    static func decode(_ text: Octets) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var gathered: UInt32 = 0
        var bits = 0
        for character in text {
            guard let value = value(of: character) else { return nil }
            gathered = gathered << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: gathered >> UInt32(bits)))
            }
        }
        return bytes
    }

    static func encode(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var gathered: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            gathered = gathered << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(gathered >> bits & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(gathered << (6 - bits) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 0x41...0x5A: character - 0x41
        case 0x61...0x7A: character - 0x61 + 26
        case 0x30...0x39: character - 0x30 + 52
        case 0x2D: 62
        case 0x5F: 63
        default: nil
        }
    }
}
