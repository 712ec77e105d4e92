/// Puts replies together from their parts, which come in the order of the bytes: a list before its elements.
struct RedisReplyBuilder {
    private struct OpenList {
        var elements: [RedisReply] = []
        /// How many elements are missing.
        var missing: Int
    }

    /// The server's word for a length is not trusted with memory: a list grows with its elements.
    private static let reserve = 1_024

    private var lists: [OpenList] = []
    /// The replies that are complete.
    var replies: [RedisReply] = []

    /// Adds a reply that is not a list.
    mutating func add(_ reply: RedisReply) {
        var reply = reply
        while let last = lists.indices.last {
            lists[last].elements.append(reply)
            lists[last].missing -= 1
            guard lists[last].missing == 0 else { return }
            reply = .array(lists.removeLast().elements)
        }
        replies.append(reply)
    }

    /// Begins a list of this many elements.
    mutating func addList(of count: Int) {
        guard count > 0 else { return add(.array([])) }
        var list = OpenList(missing: count)
        list.elements.reserveCapacity(min(count, Self.reserve))
        lists.append(list)
    }

    /// Whether a list is still incomplete.
    var isInside: Bool { !lists.isEmpty }
}
