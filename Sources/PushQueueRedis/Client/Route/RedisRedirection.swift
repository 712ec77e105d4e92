/// The error with which a node of a cluster names the node that has a key: the command was not executed.
struct RedisRedirection: Hashable, Sendable {
    enum Kind: String, Sendable {
        /// The key's slot is there from now on.
        case moved = "MOVED"
        /// The slot is on its way there: ask that node for this command alone.
        case ask = "ASK"
    }

    /// How often one command follows, and how often one attempt to connect.
    static let limit = 5

    let kind: Kind
    /// Nil if the node does not know its own name: then it is the host that was asked.
    let host: String?
    let port: Int

    /// Reads `MOVED 3999 10.0.0.2:6381`; nil if it is another error, or its address cannot be one.
    ///
    /// - Parameter text: The text of an error reply.
    init?(_ text: String) {
        guard text.hasPrefix("MOVED ") || text.hasPrefix("ASK ") else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 3, let kind = Kind(rawValue: String(words[0])), let colon = words[2].lastIndex(of: ":"),
            let port = Int(words[2][words[2].index(after: colon)...])
        else { return nil }
        let host = String(words[2][..<colon])
        guard let node = RedisNode(givenHost: host.isEmpty ? "localhost" : host, port: port) else { return nil }
        (self.kind, self.host, self.port) = (kind, host.isEmpty ? nil : node.host, port)
    }

    /// - Parameter asked: The node that gave the answer.
    func node(from asked: RedisNode) -> RedisNode { RedisNode(host: host ?? asked.host, port: port) }
}
