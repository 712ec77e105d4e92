import CPushOpenSSL

/// Makes PEM text of a signing key as people have it. A key passes through environment variables, JSON, YAML, forms and
/// mails, which change its white space; the base64 between the markers is the key whatever its white space is.
///
/// It understands a key with spaces, `\n` as text, or CR in place of line breaks; one that is indented or quoted, or a
/// JSON string; UTF-16; base64 without markers, of the key or of the whole file. DER is left as it is.
struct KeyText {
    private typealias Bytes = ArraySlice<UInt8>

    /// What to do about a key of which a part is missing: Apple hands a key out once.
    static let remedy =
        "Copy the whole file again; if the original is lost, revoke the key in Apple's developer portal and make a new one."

    private let text: [UInt8]

    /// PEM text, or DER.
    static func pem(_ bytes: [UInt8]) throws(KeyError) -> [UInt8] {
        // What is empty or too large has its sentence in the reader of PEM.
        guard bytes.count <= PEMBundle.sizeLimit, bytes.contains(where: { !isBlank($0) }) else { return bytes }
        if try DERForm.label(bytes, what: ".p8 key") != nil { return bytes }
        return try KeyText(text: KeyEscapes.resolved(bytes)).pem(mayBeEncoded: true)
    }

    private func pem(mayBeEncoded: Bool) throws(KeyError) -> [UInt8] {
        var blocks: [UInt8] = []
        var rest = text[...]
        while let begin = Self.marker("BEGIN", in: rest) {
            rest = rest[begin.range.upperBound...]
            guard let end = Self.marker("END", in: rest), end.label == begin.label else {
                throw Self.truncated("lacks its last line, -----END \(begin.label)-----: it is cut off")
            }
            blocks += try Self.block(begin.label, rest[..<end.range.lowerBound])
            rest = rest[end.range.upperBound...]
        }
        if !blocks.isEmpty { return blocks }
        if let end = Self.marker("END", in: text[...]) {
            throw Self.truncated("lacks its first line, -----BEGIN \(end.label)-----: it is cut off")
        }
        return try decoded(mayBeEncoded: mayBeEncoded)
    }

    private static func truncated(_ problem: String) -> KeyError {
        KeyError(.truncated, "The .p8 key \(problem). \(remedy)")
    }

    /// `-----BEGIN PRIVATE KEY-----`, whatever white space is in it.
    private static func marker(_ word: String, in text: Bytes) -> (label: String, range: Range<Int>)? {
        let start = Array("-----\(word)".utf8)
        var index = text.startIndex
        while let found = text[index...].firstRange(of: start) {
            let words = text[found.upperBound...].prefix(64)
            if let end = words.firstRange(of: Array("-----".utf8)) {
                let label = words[..<end.lowerBound].split(whereSeparator: isBlank).map {
                    String(decoding: $0, as: UTF8.self)
                }
                return (label.joined(separator: " "), found.lowerBound..<end.upperBound)
            }
            index = found.upperBound
        }
        return nil
    }

    /// One block in the form that OpenSSL reads.
    private static func block(_ label: String, _ content: Bytes) throws(KeyError) -> [UInt8] {
        // The header of RFC 1421: "Proc-Type: 4,ENCRYPTED".
        guard content.firstRange(of: Array("ENCRYPTED".utf8)) == nil else {
            throw KeyError(.encrypted, encryptedSentence)
        }
        let digits = digits(content)
        guard digits.allSatisfy(isBase64) else {
            throw KeyError(
                .damaged, "The .p8 key has characters between its markers that are not of base64. \(remedy)")
        }
        guard !digits.isEmpty else {
            throw truncated("has nothing between its markers")
        }
        return pem(label, digits)
    }

    static let encryptedSentence =
        "The .p8 key is encrypted, but Apple's keys never are. Decrypt it with openssl pkcs8."

    /// Base64 in lines of 64 digits, between markers.
    private static func pem(_ label: String, _ digits: [UInt8]) -> [UInt8] {
        var text = Array("-----BEGIN \(label)-----\n".utf8)
        for start in stride(from: 0, to: digits.count, by: 64) {
            text += digits[start..<min(start + 64, digits.count)] + [UInt8(ascii: "\n")]
        }
        return text + Array("-----END \(label)-----\n".utf8)
    }

    /// A text without markers: base64 of a key, or of its whole file.
    private func decoded(mayBeEncoded: Bool) throws(KeyError) -> [UInt8] {
        let digits = Self.digits(text[...])
        guard mayBeEncoded, let bytes = Self.decoded(digits) else {
            throw KeyError(
                .notPEM,
                "The .p8 key is neither PEM text (-----BEGIN PRIVATE KEY-----), nor its base64, nor DER. Give the file that "
                    + "Apple's developer portal handed out, AuthKey_<id>.p8.")
        }
        if bytes.first == DERReader.Tag.sequence, try DERForm.label(bytes, what: ".p8 key") != nil { return bytes }
        return try KeyText(text: KeyEscapes.resolved(bytes)).pem(mayBeEncoded: false)
    }

    /// Nil unless it is base64 of something.
    private static func decoded(_ digits: [UInt8]) -> [UInt8]? {
        let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let plain = digits.dropLast(padding)
        guard plain.count >= 32, padding <= 2, plain.allSatisfy({ isBase64($0) && $0 != UInt8(ascii: "=") }) else {
            return nil
        }
        let missing = (4 - plain.count % 4) % 4
        let padded = plain + [UInt8](repeating: UInt8(ascii: "="), count: missing)
        var bytes = [UInt8](repeating: 0, count: padded.count / 4 * 3)
        guard missing < 3, EVP_DecodeBlock(&bytes, Array(padded), Int32(padded.count)) == Int32(bytes.count) else {
            return nil
        }
        return Array(bytes.dropLast(missing))
    }

    /// Without white space, quotes, and what mails and lists put around lines; the URL-safe digits as the usual ones.
    private static func digits(_ content: Bytes) -> [UInt8] {
        content.compactMap { byte in
            switch byte {
            case UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ","): nil
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: isBlank(byte) ? nil : byte
            }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}

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
