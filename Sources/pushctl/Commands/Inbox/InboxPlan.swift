import PushCampaign
import PushInspection
import PushTerminal

/// An inbox that is about to start.
struct InboxPlan: Sendable {
    /// Where it may listen, in the order in which that is tried.
    let places: [InboxAddress]
    /// Further names by which it may be reached.
    let names: [String]
    /// What a client must show; nil for nothing.
    let token: String?

    private static let longestToken = 1_024

    /// Reads the file with the token.
    init(_ options: InboxOptions, at places: [InboxAddress]) throws(CommandError) {
        self.places = places
        names = options.names
        token = try options.tokenFile.map(Self.token)
    }

    /// The first line of a file. It is never shown.
    private static func token(in path: String) throws(CommandError) -> String {
        let bytes = try InputFile.contents(of: path, limit: 1 << 16)
        var line = bytes.prefix { $0 != ASCII.lineFeed }
        if line.last == ASCII.carriageReturn { line.removeLast() }
        // What a header field can carry without quotes.
        guard (1...longestToken).contains(line.count), line.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .configuration(
                "\(path): the first line must be a token of 1 to \(longestToken) printable characters of ASCII, without spaces"
            )
        }
        return String(decoding: line, as: UTF8.self)
    }
}
