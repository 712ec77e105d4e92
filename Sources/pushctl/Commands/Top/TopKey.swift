/// A key that `top` understands.
enum TopKey: Equatable {
    case quit, down, up, pageDown, pageUp, first, last

    private static let texts: [(text: String, key: TopKey)] = [
        ("q", .quit), ("Q", .quit), ("j", .down), ("k", .up), (" ", .pageDown), ("b", .pageUp), ("g", .first),
        ("G", .last), ("\u{1B}[B", .down), ("\u{1B}OB", .down), ("\u{1B}[A", .up), ("\u{1B}OA", .up),
        ("\u{1B}[6~", .pageDown), ("\u{1B}[5~", .pageUp), ("\u{1B}[H", .first), ("\u{1B}[1~", .first),
        ("\u{1B}[F", .last), ("\u{1B}[4~", .last),
    ]
    private static let sequences: [(bytes: [UInt8], key: TopKey)] = texts.map { (Array($0.text.utf8), $0.key) }

    /// The keys in what a terminal sent. Anything else is ignored.
    static func all(in bytes: [UInt8]) -> [TopKey] {
        var (keys, rest) = ([TopKey](), bytes[...])
        while !rest.isEmpty {
            if let (known, key) = sequences.first(where: { rest.starts(with: $0.bytes) }) {
                keys.append(key)
                rest = rest.dropFirst(known.count)
            } else if rest.starts(with: [0x1B]) {
                // The rest of an unknown key must not be taken for letters.
                rest = rest.dropFirst().drop { !(0x40...0x7E).contains($0) || $0 == UInt8(ascii: "[") }.dropFirst()
            } else {
                rest = rest.dropFirst()
            }
        }
        return keys
    }

    /// How many lines are passed over after it.
    func offset(from offset: Int, page: Int, last: Int) -> Int {
        let wanted =
            switch self {
            case .quit: offset
            case .down: offset + 1
            case .up: offset - 1
            case .pageDown: offset + page
            case .pageUp: offset - page
            case .first: 0
            case .last: last
            }
        return max(0, min(wanted, last))
    }
}
