import PushQueue

/// An entry as a script returns it: its key, its fields, and what is known of it beyond them.
struct StoredEntry {
    let taken: TakenEntry

    init?(_ reply: RedisReply) {
        let words = reply.elements
        guard words.count == 4, let key = words[0].bytes else { return nil }
        let (name, entry) = (TakenEntry.Key(utf8: key), Self.entry(words[1].elements))
        let hold = words[3].text.flatMap(QueueCampaign.Hold.init(rawValue:))
        // Most entries have no progress.
        guard let progress = words[2].text, !progress.isEmpty else {
            taken = TakenEntry(name, entry, hold: hold)
            return
        }
        let parts = progress.split(separator: " ")
        taken = TakenEntry(
            name, entry, offered: parts.first.flatMap { Int($0) } ?? 0,
            settled: parts.count > 4 ? TokenSet(String(parts[4])) ?? TokenSet() : TokenSet(),
            doubts: parts.count > 2 ? Int(parts[2]) ?? 0 : 0, retries: parts.count > 3 ? Int(parts[3]) ?? 0 : 0,
            hold: hold)
    }

    /// Reads names and values that follow each other. Scripts add an id where a producer gave none.
    static func entry(_ words: [RedisReply]) -> Result<QueueEntry, QueueError> {
        Result { () throws(QueueError) in
            try EntryFields.decode(fields(words), fallback: EntryID(high: 0, low: 0))
        }
    }

    static func fields(_ words: [RedisReply]) -> [EntryField] {
        stride(from: 0, to: words.count - 1, by: 2).map {
            EntryField(words[$0].text ?? "", words[$0 + 1].bytes ?? [])
        }
    }

    static func all(_ reply: RedisReply) -> [TakenEntry] {
        reply.elements.compactMap { StoredEntry($0)?.taken }
    }
}
