/// A set of lines, in a bit for each and some memory for each 64 that are near each other.
package struct LineSet: Sendable, Equatable {
    private var words: [Int: UInt64] = [:]
    package private(set) var count = 0

    package init() {}

    package init(_ lines: some Sequence<Int>) { for line in lines { insert(line) } }

    /// Adds a line; false if it was there.
    @discardableResult
    package mutating func insert(_ line: Int) -> Bool {
        let bit: UInt64 = 1 << UInt64(line & 63)
        let word = words[line >> 6, default: 0]
        guard word & bit == 0 else { return false }
        words[line >> 6] = word | bit
        count += 1
        return true
    }

    /// Removes a line, if it is there.
    package mutating func remove(_ line: Int) {
        guard contains(line) else { return }
        words[line >> 6, default: 0] &= ~(1 << UInt64(line & 63))
        count -= 1
    }

    package func contains(_ line: Int) -> Bool { words[line >> 6].map { $0 >> UInt64(line & 63) & 1 == 1 } ?? false }
}
