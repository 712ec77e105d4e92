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

    /// The text with dots in place of each copy of the token, for what a server says of a request that showed it.
    func removed(from text: String) -> String { text.replacing(secret, with: description) }
}
