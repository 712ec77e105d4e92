/// The data export token of Apple's CloudKit Console. No description, log or dump shows it.
package struct ManagementToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private static let mostBytes = 8_192

    /// For the header field, and nothing else.
    let secret: String

    /// Nil unless the text can stand in a header field: 1 to 8,192 visible ASCII characters.
    package init?(_ text: String) {
        guard (1...Self.mostBytes).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        secret = text
    }

    /// Dots.
    package var description: String { "•••" }
    /// Dots.
    package var debugDescription: String { description }
    /// Empty.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The text with dots in place of each copy of the token, in either case, for what a server says of a request that showed
    /// it. By bytes: a letter with an accent behind it is another character.
    func removed(from text: String) -> String {
        let (bytes, secret) = (Array(text.utf8), Array(secret.lowercased().utf8))
        var (clean, index) = ([UInt8](), 0)
        while index < bytes.count {
            let isCopy =
                bytes.count - index >= secret.count
                && zip(secret, bytes[index...]).allSatisfy { $0 == $1 || $0 == $1 | 0x20 && (0x41...0x5A).contains($1) }
            clean += isCopy ? Array(description.utf8) : [bytes[index]]
            index += isCopy ? secret.count : 1
        }
        return String(decoding: clean, as: UTF8.self)
    }
}
