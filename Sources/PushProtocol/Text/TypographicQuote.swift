/// The quotes that word processors make of straight ones. In JSON and CSV they are text.
package enum TypographicQuote {
    /// Whether the bytes begin with one, in UTF-8.
    package static func begins(_ bytes: some Collection<UInt8>) -> Bool {
        let start = Array(bytes.prefix(3))
        if start.count == 3, start[0] == 0xE2, start[1] == 0x80 { return (0x98...0x9F).contains(start[2]) }
        return start.starts(with: [0xC2, 0xAB]) || start.starts(with: [0xC2, 0xBB])
    }

    package static func isOne(_ character: Character) -> Bool { begins(Array(character.utf8)) }
}
