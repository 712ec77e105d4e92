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
