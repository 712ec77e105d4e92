import PushTerminal

/// Finds the name that was meant.
package enum NearName {
    /// The name that is most like the text; nil if none is near. Case, hyphens and underscores do not count.
    package static func of(_ text: String, in names: some Sequence<String>) -> String? {
        let letters = letters(of: text)
        let allowed = letters.count > 4 ? 2 : 1
        var (best, least) = (nil as String?, allowed + 1)
        for name in names {
            let distance = distance(letters, Self.letters(of: name))
            if distance < least { (best, least) = (name, distance) }
        }
        return best
    }

    /// `; did you mean NAME?`, or nothing.
    package static func question(_ text: String, in names: some Sequence<String>) -> String {
        of(text, in: names).map { "; did you mean \($0.shortened(to: 40))?" } ?? ""
    }

    /// At most as many as any known name has.
    private static func letters(of text: String) -> [UInt8] {
        let ignored: [UInt8] = [UInt8(ascii: "_"), ASCII.minus, ASCII.space]
        return Array(text.lowercased().utf8.filter { !ignored.contains($0) }.prefix(40))
    }

    /// How many letters must be added, removed, replaced or swapped with the next.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var rows = [[Int]](repeating: Array(0...right.count), count: left.count + 1)
        for i in left.indices {
            rows[i + 1][0] = i + 1
            for j in right.indices {
                let isSame = left[i] == right[j]
                var least = min(rows[i][j + 1], rows[i + 1][j]) + 1
                least = min(least, rows[i][j] + (isSame ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                rows[i + 1][j + 1] = least
            }
        }
        return rows[left.count][right.count]
    }
}
