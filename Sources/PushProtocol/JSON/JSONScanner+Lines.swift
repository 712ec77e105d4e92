/// The lines of JSON written by people, for errors that say where to look.
extension JSONScanner {
    /// The line of each member, by the names that lead to it from the outside in. The first line is 1. Members deeper
    /// than that, and all after a mistake in the grammar, are left out.
    ///
    /// - Parameter depth: How deep to look: 1 for the members of the outermost object only.
    package static func lines(ofMembersIn bytes: [UInt8], depth: Int) -> [[String]: Int] {
        bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer)
            var lines: [[String]: Int] = [:]
            var count = LineCount(bytes: buffer)
            // What was found before the mistake is right.
            try? collect(&scanner, path: [], depth: depth, count: &count, into: &lines)
            return lines
        }
    }

    private static func collect(
        _ scanner: inout JSONScanner, path: [String], depth: Int, count: inout LineCount,
        into lines: inout [[String]: Int]
    ) throws(Malformed) {
        try scanner.object(depth: path.count) { (scanner, name) throws(Malformed) in
            let path = path + [name]
            let next = scanner.peek()
            lines[path] = count.line(of: scanner.position)
            guard path.count < depth, next == UInt8(ascii: "{") else { return try scanner.skipValue(depth: path.count) }
            try collect(&scanner, path: path, depth: depth, count: &count, into: &lines)
        }
    }

    /// Counts lines up to positions that only increase.
    private struct LineCount {
        let bytes: UnsafeBufferPointer<UInt8>
        private var position = 0
        private var line = 1

        init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

        mutating func line(of position: Int) -> Int {
            line += bytes[self.position..<position].count { $0 == UInt8(ascii: "\n") }
            self.position = position
            return line
        }
    }
}
