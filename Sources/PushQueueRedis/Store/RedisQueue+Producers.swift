import FoundationEssentials
import PushQueue

extension RedisQueue {
    /// Adds entries, all or none, in one script. A call that begins with the id of one of the last minute adds nothing:
    /// the latest 10,000 calls are remembered.
    ///
    /// For an urgent entry the consumer group must be there, so the call makes it, or throws `lost` if it was there before. Then
    /// nothing was added.
    ///
    /// - Throws: `full` if the queue would have more than ``RedisQueue/Configuration/maxEntries``, or the server has no memory
    ///   left; `invalidEntry` if an entry cannot be stored. Nothing was added. `unreachable` if it may have been, or if
    ///   fewer replicas have it than ``RedisQueue/Configuration/replicas``.
    public func enqueue(_ entries: [QueueEntry]) async throws(QueueError) {
        guard let first = entries.first else { return }
        let call = Array(first.id.description.utf8)
        let arguments = try enqueueArguments(entries, call: call, campaign: ["", "", ""])
        let (reply, following): (RedisReply, [RedisReply])
        do throws(QueueError) { (reply, following) = try await run(.enqueue, with: arguments, then: replication) } catch
        {
            // The server is full since an earlier attempt, perhaps by it.
            guard error.code == .full else { throw error }
            let (isKnown, following) = try await run(.knowsCall, with: [call], then: replication)
            guard isKnown.number == 1 else { throw error }
            return try checkReplicas(following)
        }
        // Nothing was added then, so no replica needs to have it.
        guard reply.number == 1 else { throw isFull(for: entries) }
        try checkReplicas(following)
    }

    /// The arguments of the script that adds entries.
    ///
    /// - Parameter campaign: Its name, what must be stored of it, and what is stored then.
    func enqueueArguments(
        _ entries: [QueueEntry], call: [UInt8], campaign: [String]
    ) throws(QueueError) -> [[UInt8]] {
        var arguments = [Array("\(entryLimit)".utf8), call] + campaign.map { Array($0.utf8) }
        for entry in entries {
            let fields = try EntryFields.encode(entry)
            arguments.append(entry.notBefore.map { Array(Self.milliseconds($0).utf8) } ?? [])
            arguments.append(Array("\(fields.count * 2)".utf8))
            for field in fields {
                arguments.append(Array(field.name.utf8))
                arguments.append(field.value)
            }
        }
        return arguments
    }

    private var entryLimit: Int { max(1, configuration.maxEntries) }

    func isFull(for entries: [QueueEntry]) -> QueueError {
        QueueError(
            .full,
            "The queue has no room for \(entries.count) more entries: it may have \(entryLimit). Nothing was added. "
                + "Wait until workers have pushed some, or raise maxEntries.")
    }

    /// Removes entries that wait or are delayed. It looks at all of them, in pages: a million take the server seconds.
    ///
    /// It is one step for each entry, and not for all together. An entry that a worker takes meanwhile is reported as
    /// taken.
    public func cancel(_ entries: [EntryID]) async throws(QueueError) -> Cancellation {
        guard !entries.isEmpty else { return Cancellation() }
        var search = CancelSearch()
        // An entry that a worker puts off meanwhile may move behind the search. Then it begins again, a few times at most.
        repeat {
            try await search.pass { [ids = entries.map(\.description)] (part, position) throws(QueueError) in
                try await run(.cancel, texts: [part, position, "500", ""] + ids)
            }
        } while search.mayHaveMissed(entries)
        var seen: Set<EntryID> = []
        let unique = entries.filter { seen.insert($0).inserted }
        return Cancellation(
            removed: unique.filter { search.removed.contains($0.description) },
            taken: unique.filter { search.taken.contains($0.description) })
    }

    /// A time in milliseconds, rounded up, so that nothing goes out before it. Digits only.
    static func milliseconds(_ date: Date) -> String {
        "\(Int64(min(max(0, (date.timeIntervalSince1970 * 1_000).rounded(.up)), 1e15)))"
    }
}

/// What a search for entries has found, in at most three passes over all parts of the queue.
private struct CancelSearch {
    private(set) var removed: Set<String> = []
    private(set) var taken: Set<String> = []
    private var passes = 0
    /// How many entries were ever delayed, when the pass began and when it ended.
    private var delays: (first: String, last: String) = ("", "")

    /// - Parameter script: Runs the script on a page of a part.
    mutating func pass(
        _ script: (_ part: String, _ position: String) async throws(QueueError) -> RedisReply
    ) async throws(QueueError) {
        passes += 1
        taken = []
        delays.first = ""
        for part in ["later", "new", "pending"] {
            var position = ""
            repeat {
                let reply = try await script(part, position)
                removed.formUnion(reply[1].elements.compactMap(\.text))
                taken.formUnion(reply[2].elements.compactMap(\.text))
                delays.last = reply[3].text ?? ""
                if delays.first.isEmpty { delays.first = delays.last }
                position = reply[0].text ?? ""
            } while !position.isEmpty
        }
    }

    func mayHaveMissed(_ entries: [EntryID]) -> Bool {
        guard passes < 3, delays.first != delays.last else { return false }
        return entries.contains { !removed.contains($0.description) && !taken.contains($0.description) }
    }
}
