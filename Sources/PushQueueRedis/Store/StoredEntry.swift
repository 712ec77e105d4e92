import PushQueue

/// An entry as a script returns it: its key, its fields, and what is known of it beyond them.
struct StoredEntry {
    let taken: TakenEntry

    init?(_ reply: RedisReply) {
        guard let key = reply[0].text else { return nil }
        let parts = (reply[2].text ?? "").split(separator: " ")
        taken = TakenEntry(
            TakenEntry.Key(key), Self.entry(reply[1].elements), offered: parts.first.flatMap { Int($0) } ?? 0,
            settled: parts.count > 4 ? TokenSet(String(parts[4])) ?? TokenSet() : TokenSet(),
            doubts: parts.count > 2 ? Int(parts[2]) ?? 0 : 0, retries: parts.count > 3 ? Int(parts[3]) ?? 0 : 0)
    }

    /// Reads names and values that follow each other. Scripts add an id where a producer gave none.
    static func entry(_ words: [RedisReply]) -> Result<QueueEntry, QueueError> {
        let fields = stride(from: 0, to: words.count - 1, by: 2).map {
            EntryField(words[$0].text ?? "", words[$0 + 1].bytes ?? [])
        }
        return Result { () throws(QueueError) in
            try EntryFields.decode(fields, fallback: EntryID(high: 0, low: 0))
        }
    }

    static func all(_ reply: RedisReply) -> [TakenEntry] {
        reply.elements.compactMap { StoredEntry($0)?.taken }
    }
}
