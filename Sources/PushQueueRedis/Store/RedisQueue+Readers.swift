import Foundation
import PushQueue

extension RedisQueue {
    /// Reads outcomes. What lies before `position` counts as read: it is not counted as cut unread.
    ///
    /// - Parameter limit: How many at most, from 1 to 100,000; other numbers count as the nearest.
    /// - Throws: `failed` if the position is none that an earlier call returned.
    public func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int
    ) async throws(QueueError) -> OutcomePage {
        let start = try position.map(ReadPosition.init(text:))
        let limit = min(max(1, limit), 100_000)
        let reply = try await run(.outcomes, texts: [list.rawValue, start?.description ?? "", "\(limit)"])
        var end = start
        var outcomes: [QueueOutcome] = []
        for entry in reply.elements where outcomes.count < limit {
            guard let id = entry[0].text, let rows = entry[1][3].bytes else { continue }
            let lines = rows.split(separator: UInt8(ascii: "\n"))
            let skipped = id == start?.id ? min(start?.rows ?? 0, lines.count) : 0
            let part = lines[skipped...].prefix(limit - outcomes.count)
            for line in part { outcomes.append(try QueueOutcome(row: Array(line))) }
            end = ReadPosition(id: id, rows: skipped + part.count == lines.count ? nil : skipped + part.count)
        }
        return OutcomePage(outcomes, position: end?.description)
    }

    /// Reads dead letters.
    ///
    /// - Parameter limit: How many at most; at least 1.
    public func deadLetters(limit: Int) async throws(QueueError) -> [DeadLetter] {
        var letters: [DeadLetter] = []
        var position = ""
        while letters.count < max(1, limit) {
            let page = try await deadPage(after: position, limit: min(100, max(1, limit) - letters.count))
            guard let last = page.last else { break }
            letters += page.map { DeadLetter($0.entry, reason: $0.reason) }
            position = last.id
        }
        return letters
    }

    /// Puts dead letters back. Tokens that APNs had answered stay settled.
    public func requeue(_ entries: [EntryID]) async throws(QueueError) -> [EntryID] {
        let wanted = Set(entries)
        var put: Set<EntryID> = []
        var position = ""
        while true {
            let page = try await deadPage(after: position, limit: 100)
            guard let last = page.last else { break }
            position = last.id
            var found: [String: EntryID] = [:]
            for letter in page {
                if case .success(let entry) = letter.entry, wanted.contains(entry.id) { found[letter.id] = entry.id }
            }
            guard !found.isEmpty else { continue }
            let moved = try await run(.requeue, texts: found.keys.sorted()).elements.compactMap(\.text)
            put.formUnion(moved.compactMap { found[$0] })
        }
        var seen: Set<EntryID> = []
        return entries.filter { put.contains($0) && seen.insert($0).inserted }
    }

    /// Counts what is where, in one script. The time of ``QueueStatus/oldest`` is by the server's clock.
    public func status() async throws(QueueError) -> QueueStatus {
        let reply = try await run(.status, [])
        var status = QueueStatus()
        var taken = 0
        for consumer in reply[6].elements {
            guard let name = consumer[0].text, let count = consumer[1].number, name != "released" else { continue }
            status.taken[WorkerID(name)] = count
            taken += count
        }
        status.waiting = max(0, (reply[0].number ?? 0) - taken)
        status.delayed = reply[1].number ?? 0
        status.dead = reply[2].number ?? 0
        status.outcomes = reply[3].number ?? 0
        status.outcomesCut = reply[4].number ?? 0
        status.oldest = reply[5].text.flatMap { $0.split(separator: "-").first }.flatMap { Double($0) }
            .map { Date(timeIntervalSince1970: $0 / 1_000) }
        return status
    }

    /// A dead letter with its id in the stream of dead letters. Its first two fields are the reason and the set of
    /// tokens that APNs answered.
    private func deadPage(
        after id: String, limit: Int
    ) async throws(QueueError) -> [(id: String, entry: Result<QueueEntry, QueueError>, reason: String)] {
        try await run(.deadLetters, texts: [id, "\(limit)"]).elements.compactMap { letter in
            guard let id = letter[0].text, let reason = letter[1][1].text else { return nil }
            return (id, StoredEntry.entry(Array(letter[1].elements.dropFirst(4))), reason)
        }
    }
}
