/// Resolves how programs write a text: as UTF-16, with a byte order mark, or with the escapes of JSON and of shells.
enum KeyEscapes {
    /// The text of a key in ASCII. What is not ASCII becomes a space: no key has any, but mails have spaces of their own.
    static func resolved(_ bytes: [UInt8]) -> [UInt8] {
        let text = utf16(bytes) ?? String(decoding: bytes, as: UTF8.self)
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        var units = text.unicodeScalars.makeIterator()
        while let unit = units.next() {
            result.append(unit == "\\" ? escaped(&units) : ascii(unit))
        }
        return result
    }

    private static func ascii(_ scalar: Unicode.Scalar) -> UInt8 { scalar.isASCII ? UInt8(scalar.value) : 0x20 }

    /// What stands behind a backslash: `n` is a line break, as it was meant, however often it was escaped.
    private static func escaped(_ units: inout String.UnicodeScalarView.Iterator) -> UInt8 {
        var next = units.next()
        while next == "\\" { next = units.next() }
        switch next {
        case nil, "n", "r", "t": return 0x20
        case "u":
            var value: UInt32 = 0
            for _ in 0..<4 {
                guard let digit = units.next().flatMap({ Character($0).hexDigitValue }) else { return 0x20 }
                value = value << 4 | UInt32(digit)
            }
            return Unicode.Scalar(value).map(ascii) ?? 0x20
        case let other?: return ascii(other)
        }
    }

    /// Nil unless it has the byte order mark of UTF-16.
    private static func utf16(_ bytes: [UInt8]) -> String? {
        guard bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) else { return nil }
        let isBig = bytes[0] == 0xfe
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBig ? first << 8 | second : second << 8 | first
        }
        return String(decoding: units, as: UTF16.self)
    }
}
