/// The parts of ASN.1's DER (X.690) that the extensions of a push certificate need.
enum DER {
    private static let utf8String: UInt8 = 0x0C
    private static let sequence: UInt8 = 0x30

    /// An ASN.1 NULL: the value of the extensions that mark an environment.
    static let null: [UInt8] = [0x05, 0x00]

    /// The list of topics as Apple encodes it: `SEQUENCE { UTF8String topic, SEQUENCE { UTF8String kind }, … }`.
    static func encode(topics: [(topic: String, kind: String)]) -> [UInt8] {
        let content = topics.flatMap { entry in
            element(utf8String, Array(entry.topic.utf8))
                + element(sequence, element(utf8String, Array(entry.kind.utf8)))
        }
        return element(sequence, content)
    }

    /// The topics in such a list. Stops at the first malformed value.
    static func topics(_ bytes: [UInt8]) -> [String] {
        guard let outer = next(in: bytes[...]), outer.tag == sequence else { return [] }
        var topics: [String] = []
        var rest = outer.content
        while let item = next(in: rest) {
            if item.tag == utf8String { topics.append(item.content.text) }
            rest = item.rest
        }
        return topics
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        if content.count < 0x80 {
            length = [UInt8(content.count)]
        } else {
            var rest = content.count
            while rest > 0 {
                length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
                rest >>= 8
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + content
    }

    private static func next(in bytes: Octets) -> (tag: UInt8, content: Octets, rest: Octets)? {
        guard bytes.count >= 2, let tag = bytes.first else { return nil }
        var rest = bytes.dropFirst()
        guard let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first & 0x80 != 0 {
            let octets = Int(first & 0x7F)
            guard (1...3).contains(octets), rest.count >= octets else { return nil }
            length = rest.prefix(octets).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(octets)
        }
        guard rest.count >= length else { return nil }
        return (tag, rest.prefix(length), rest.dropFirst(length))
    }
}
