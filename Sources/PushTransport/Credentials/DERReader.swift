/// Reads DER values (X.690) within given bounds; returns nil as soon as a length exceeds them.
struct DERReader {
    enum Tag {
        static let utf8String: UInt8 = 0x0c
        static let sequence: UInt8 = 0x30
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// The tag and content of the next value.
    mutating func next() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard let tag = rest.popFirst(), tag & 0x1f != 0x1f, let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let digits = Int(first & 0x7f)
            guard (1...4).contains(digits), rest.count >= digits else { return nil }
            length = rest.prefix(digits).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(digits)
        }
        guard length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return (tag, rest.prefix(length))
    }
}

/// Recognizes what a DER file contains by its outermost structure.
enum DERForm {
    private static let integer: UInt8 = 0x02
    private static let bitString: UInt8 = 0x03
    private static let octetString: UInt8 = 0x04

    /// The PEM label for this content; nil if it is not DER.
    static func label(_ bytes: [UInt8], what: String) throws(KeyError) -> String? {
        guard bytes.first == DERReader.Tag.sequence, !isText(bytes) else { return nil }
        let content = try content(bytes, what: what)
        var reader = DERReader(content)
        let first = reader.next()
        let second = reader.next()
        let third = reader.next()
        switch (first?.tag, second?.tag, third?.tag) {
        // RFC 5280: SEQUENCE { tbsCertificate, signatureAlgorithm, signature }
        case (DERReader.Tag.sequence, DERReader.Tag.sequence, bitString): return "CERTIFICATE"
        // RFC 5958: SEQUENCE { algorithm, encryptedData }
        case (DERReader.Tag.sequence, octetString, nil): return "ENCRYPTED PRIVATE KEY"
        case (DERReader.Tag.sequence, bitString, nil): return "PUBLIC KEY"
        // RFC 7292: SEQUENCE { version 3, authSafe, … }
        case (integer, DERReader.Tag.sequence, _) where first?.content == [3]:
            throw KeyError(
                .isPKCS12,
                "The \(what) file is a PKCS#12 file. Use Credential.pkcs12, or --p12 on the command line.")
        // RFC 5958: SEQUENCE { version, algorithm, privateKey }
        case (integer, DERReader.Tag.sequence, octetString): return "PRIVATE KEY"
        // RFC 8017: SEQUENCE { version, modulus, … }
        case (integer, integer, integer): return "RSA PRIVATE KEY"
        // RFC 5915: SEQUENCE { version, privateKey, … }
        case (integer, octetString, _): return "EC PRIVATE KEY"
        default:
            throw KeyError(
                .damaged, "The \(what) file is DER, but neither a certificate nor a key. Give the right file.")
        }
    }

    /// The content of the outermost SEQUENCE, which must be the whole file.
    static func content(_ bytes: [UInt8], what: String) throws(KeyError) -> ArraySlice<UInt8> {
        var reader = DERReader(bytes[...])
        guard let outer = reader.next() else {
            throw KeyError(.truncated, "The \(what) file ends too early. Copy or export it again.")
        }
        guard reader.isAtEnd else {
            throw KeyError(.damaged, "The \(what) file has trailing data. Copy or export it again.")
        }
        return outer.content
    }

    /// PEM may begin with explanatory text, and that text with a 0, which is the first byte of DER.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        bytes.prefix(64).allSatisfy { $0 == 9 || $0 == 10 || $0 == 13 || (32..<127).contains($0) }
    }
}
