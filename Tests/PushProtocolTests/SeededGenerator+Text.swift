import ProcessRuntime

extension SeededGenerator {
    /// Text of any scalars: ASCII, control characters, combining marks, right-to-left, emoji families, noncharacters.
    mutating func text(maxScalars: Int) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...maxScalars, using: &self) {
            let ranges: [ClosedRange<UInt32>] = [
                0x00...0x1f, 0x20...0x7f, 0x20...0x7f, 0x80...0x7ff, 0x300...0x36f, 0x590...0x6ff, 0x2028...0x2029,
                0xfff0...0xffff, 0x1f468...0x1f469, 0x200d...0x200d, 0x10000...0x10ffff,
            ]
            let range = ranges[Int.random(in: 0..<ranges.count, using: &self)]
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &self)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
