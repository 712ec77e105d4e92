/// A set of an entry's tokens, by their positions.
public struct TokenSet: Hashable, Sendable {
    private var words: [UInt64] = []

    /// Makes an empty set.
    public init() {}

    /// Makes a set of the given positions, each from 0 to 999.
    public init(_ indices: some Sequence<Int>) {
        for index in indices { insert(index) }
    }

    /// Adds a position.
    public mutating func insert(_ index: Int) {
        let word = index >> 6
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
        words[word] |= 1 << UInt64(index & 63)
    }

    /// Removes a position.
    public mutating func remove(_ index: Int) {
        guard contains(index) else { return }
        words[index >> 6] &= ~(1 << UInt64(index & 63))
        while words.last == 0 { words.removeLast() }
    }

    /// Whether the set has this position.
    public func contains(_ index: Int) -> Bool {
        index >> 6 < words.count && words[index >> 6] & 1 << UInt64(index & 63) != 0
    }

    /// How many positions it has.
    public var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// Whether it has none.
    public var isEmpty: Bool { words.isEmpty }

    /// Adds the positions of another set.
    public mutating func formUnion(_ other: TokenSet) {
        if words.count < other.words.count {
            words.append(contentsOf: repeatElement(0, count: other.words.count - words.count))
        }
        for (index, word) in other.words.enumerated() { words[index] |= word }
    }
}

/// The text form, which stores keep: hexadecimal digits, the lowest position in the lowest bit of the last digit.
extension TokenSet: LosslessStringConvertible {
    /// Hexadecimal digits without leading zeros; empty for the empty set.
    public var description: String {
        var text = ""
        for word in words.reversed() {
            let digits = String(word, radix: 16)
            text += text.isEmpty ? digits : String(repeating: "0", count: 16 - digits.count) + digits
        }
        return text
    }

    /// Parses the text form; nil for anything else.
    public init?(_ text: String) {
        var rest = Substring(text)
        while !rest.isEmpty {
            guard let word = UInt64(rest.suffix(16), radix: 16) else { return nil }
            words.append(word)
            rest = rest.dropLast(16)
        }
        while words.last == 0 { words.removeLast() }
    }
}
