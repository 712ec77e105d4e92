import PushQueue
import PushSQLite

extension QueueFile {
    /// Adds entries, all or none. A call whose first id began another one in the last minute adds nothing.
    func add(_ entries: [StoredEntry], call: EntryID) throws {
        try database.atomically {
            if try isKnown(call) { return }
            try append(entries)
            try sql.rememberCall.bind(3, now())
            try run(sql.rememberCall, with: call.description)
        }
    }

    /// Adds entries, within a transaction.
    func append(_ entries: [StoredEntry]) throws {
        try checkRoom()
        let (last, takenTo, count, _) = try counters()
        guard count + entries.count <= configuration.maxEntries else {
            throw QueueError(
                .full,
                "The queue has \(count) of \(configuration.maxEntries) entries; \(entries.count) more do not fit. "
                    + "Nothing was added. Wait until workers have pushed some, or start more.")
        }
        for (index, entry) in try held(entries).enumerated() { try add(entry, number: last + 1 + Int64(index)) }
        // Where nothing fresh is left, no worker has to pass over entries that are delayed.
        let passed = takenTo == last ? entries.prefix { $0.due != nil }.count : 0
        try sql.grow.run(
            queue, last + Int64(entries.count), then: Int64(entries.count), then: takenTo + Int64(passed))
    }

    /// Entries of a paused campaign wait until it goes on, and those of a campaign with a rate wait for the rate, unless their own
    /// time is later.
    private func held(_ entries: [StoredEntry]) throws -> [StoredEntry] {
        guard entries.contains(where: { $0.campaign != nil }) else { return entries }
        let (known, paces) = (try holds(), try paces())
        guard !known.isEmpty || !paces.isEmpty else { return entries }
        return entries.map { entry in
            var entry = entry
            guard let name = entry.campaign?.description, entry.due ?? 0 <= now() else { return entry }
            if let hold = known[name] {
                entry.due = hold == .paused ? QueueSchema.paused : 1
            } else if let pace = paces[name] {
                entry.due = pace.aside
            }
            return entry
        }
    }

    private func isKnown(_ call: EntryID) throws -> Bool {
        try sql.knownCall.bind(1, queue)
        try sql.knownCall.bind(2, call.description)
        try sql.knownCall.bind(3, now() - QueueSchema.callTime)
        defer { sql.knownCall.reset() }
        return try sql.knownCall.step()
    }

    /// Runs a statement whose first parameters are the queue and a text.
    func run(_ statement: Statement, with text: String) throws {
        try statement.bind(1, queue)
        try statement.bind(2, text)
        try statement.run()
    }

    private func add(_ entry: StoredEntry, number: Int64) throws {
        let statement = sql.addEntry
        statement.clearBindings()
        try statement.bind(1, number)
        try statement.bind(2, now())
        try statement.bind(3, Int64(entry.count))
        for field in entry.fields {
            guard let place = QueueSchema.places[field.name] else {
                throw QueueError(.invalidEntry, "This file has no column for the field '\(field.name)' of an entry.")
            }
            try statement.bind(4 + place, utf8: field.value)
        }
        try statement.run()
        if let due = entry.due { try addLater(number, due: due, count: entry.count, settled: "", retries: 0) }
    }

    /// Puts an entry that is not in doubt among those that wait for a time.
    func addLater(_ number: Int64, due: Int64, count: Int, settled: String, retries: Int) throws {
        try sql.addLater.bind(5, settled)
        try sql.addLater.bind(6, Int64(retries))
        try sql.addLater.run(number, queue, then: due, then: Int64(count))
    }

    /// The highest number of an entry, up to which entries are taken in order, how many there are, and what the urgent lane
    /// owes.
    func counters() throws -> (last: Int64, takenTo: Int64, entries: Int, debt: LaneDebt) {
        try sql.queue.bind(1, queue)
        defer { sql.queue.reset() }
        guard try sql.queue.step() else {
            throw QueueError(.lost, "The queue is no longer in \(path): its row in the table queues was deleted.")
        }
        let debt = LaneDebt(tokens: sql.queue.int(3))
        return (sql.queue.integer(0), sql.queue.integer(1), sql.queue.int(2), debt)
    }

    /// Refuses entries while the disk can still hold what is settled.
    private func checkRoom() throws {
        guard configuration.spareBytes > 0, let free = FreeSpace.bytes(at: path),
            free < UInt64(configuration.spareBytes)
        else {
            return
        }
        throw QueueError(
            .full,
            "The disk of the queue \(path) has \(free >> 20) MiB free; \(configuration.spareBytes >> 20) MiB are kept for "
                + "outcomes. Nothing was added. Free space on it.")
    }

    /// Removes entries that wait and are not in doubt, and tells which ones go out.
    func cancel(_ ids: Set<EntryID>) throws -> Cancellation {
        let found = try find(ids)
        return try database.atomically {
            let takenTo = try counters().takenTo
            var report = Cancellation()
            let place = try database.prepare(Self.campaignOfEntry)
            for (number, id) in found {
                let (campaign, tokens) = try campaign(ofEntry: number, place)
                try sql.cancelLater.run(number)
                if database.changedRows > 0 {
                    try sql.removeEntry.run(number)
                } else {
                    try sql.removeFresh.run(number, takenTo)
                }
                if database.changedRows > 0 {
                    report.removed.append(id)
                    if let campaign { try countCancelled(tokens, of: campaign) }
                } else if try isTaken(number) || waitsInDoubt(number) {
                    report.taken.append(id)
                }
            }
            if !report.removed.isEmpty { try sql.shrink.run(queue, Int64(report.removed.count)) }
            return report
        }
    }

    private static let campaignOfEntry = """
        SELECT campaign, entries.count, coalesce(settled, '') FROM entries LEFT JOIN later USING (number)
        WHERE entries.number = ?
        """

    /// The campaign of an entry that waits, and how many tokens without an outcome it has.
    private func campaign(ofEntry number: Int64, _ select: Statement) throws -> (String?, Int) {
        try select.bind(1, number)
        defer { select.reset() }
        guard try select.step() else { return (nil, 0) }
        return (select.text(0), Self.open(select.int(1), settled: select.string(2)))
    }

    private func isTaken(_ number: Int64) throws -> Bool {
        try sql.taken.bind(1, number)
        defer { sql.taken.reset() }
        return try sql.taken.step()
    }

    private func waitsInDoubt(_ number: Int64) throws -> Bool {
        try sql.later.bind(1, number)
        defer { sql.later.reset() }
        return try sql.later.step()
    }

    /// The numbers of the entries. An index of the ids would cost each entry more than all else, so all are read.
    private func find(_ ids: Set<EntryID>) throws -> [(number: Int64, id: EntryID)] {
        var found: [(Int64, EntryID)] = []
        try sql.ids.bind(1, queue << QueueSchema.sequenceBits)
        try sql.ids.bind(2, highest)
        while try sql.ids.step() {
            if let id = EntryID(sql.ids.string(1)), ids.contains(id) { found.append((sql.ids.integer(0), id)) }
        }
        return found
    }
}
