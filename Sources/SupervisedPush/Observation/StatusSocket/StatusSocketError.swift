/// Why a status socket could not be opened.
public struct StatusSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Its path.
    public let path: String
    /// What is wrong and what to do, in a sentence.
    public let description: String

    init(_ path: String, _ description: String) {
        self.path = path
        self.description = description
    }
}
