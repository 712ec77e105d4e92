import FoundationEssentials
import PushQueue

extension RedisQueue {
    /// Reads outcomes.
    ///
    /// - Parameters:
    ///   - list: Which of the two lists.
    ///   - position: Where an earlier call ended; nil for the first outcome. One that lies ahead of the list and of
    ///     the server's clock counts as nil.
    ///   - limit: How many at most, from 1 to 100,000; other numbers count as the nearest. A page of long rows has fewer.
    ///   - marking: Whether those up to `position` count as read: they are not counted when they are cut.
    /// - Throws: `invalidEntry` if this queue did not return the position.
    public func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int, marking: Bool
    ) async throws(QueueError) -> OutcomePage {
        let start = try position.map(ReadPosition.init(text:))
        let limit = min(max(1, limit), 100_000)
        let reply = try await run(
            .outcomes, texts: [list.rawValue, start?.description ?? "", "\(limit)", marking ? "1" : "0"])
        var end = start
        var (outcomes, positions, unreadable) = ([QueueOutcome](), [String](), [String]())
        for entry in reply.elements where outcomes.count + unreadable.count < limit {
            guard let id = entry[0].text else { continue }
            guard let rows = entry[1][3].bytes else {
                // Another program stored it, and it is no list of rows.
                end = ReadPosition(id: id, rows: nil)
                unreadable.append(id)
                continue
            }
            let lines = rows.split(separator: UInt8(ascii: "\n"))
            let skipped = id == start?.id ? min(start?.rows ?? 0, lines.count) : 0
            for index in lines.indices[skipped...].prefix(limit - outcomes.count - unreadable.count) {
                end = ReadPosition(id: id, rows: index == lines.count - 1 ? nil : index + 1)
                let position = end?.description ?? id
                do throws(QueueError) {
                    outcomes.append(try QueueOutcome(row: Array(lines[index])))
                    positions.append(position)
                } catch {
                    unreadable.append(position)
                }
            }
            if lines.isEmpty { end = ReadPosition(id: id, rows: nil) }
        }
        return OutcomePage(outcomes, positions: positions, unreadable: unreadable, position: end?.description)
    }

    /// Stores how many outcomes each list keeps.
    public func limitOutcomes(to count: Int) async throws(QueueError) {
        _ = try await run(.limitOutcomes, texts: ["\(max(1, count))"])
    }

    /// Removes outcomes that count as read, in groups that one call of ``settle(as:_:)`` stored: a group with an unread row,
    /// or with one beyond the bound, stays.
    public func trim(_ list: OutcomeList, _ bound: OutcomeBound) async throws(QueueError) -> Int {
        let bounds: [String] =
            switch bound {
            case .upTo(let position): [try ReadPosition(text: position).description, ""]
            case .before(let time): ["", Self.milliseconds(time)]
            }
        return try await run(.trim, texts: [list.rawValue] + bounds).number ?? 0
    }

    /// The position behind the last outcome; nil if none was ever stored.
    public func lastPosition(of list: OutcomeList) async throws(QueueError) -> String? {
        let position = try await run(.lastPosition, texts: [list.rawValue]).text ?? ""
        return position.isEmpty ? nil : position
    }

    /// Reads dead letters.
    ///
    /// - Parameter limit: How many at most, from 1; less counts as 1.
    public func deadLetters(limit: Int) async throws(QueueError) -> [DeadLetter] {
        var letters: [DeadLetter] = []
        var position = ""
        while letters.count < max(1, limit) {
            let page = try await deadPage(after: position, limit: min(100, max(1, limit) - letters.count))
            guard let last = page.last else { break }
            letters += page
            position = last.key.description
        }
        return letters
    }

    /// Puts dead letters back, in steps of 100. Tokens that APNs had answered stay settled.
    public func requeue(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        try await each(of: letters, run: .requeue)
    }

    /// Removes dead letters, in steps of 100.
    public func discard(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        try await each(of: letters, run: .discard)
    }

    /// Runs a script with the ids of dead letters, and returns those that it returned. What is not an id is left out.
    private func each(
        of letters: [DeadLetter.Key], run script: StoreScript
    ) async throws(QueueError) -> [DeadLetter.Key] {
        var done: [DeadLetter.Key] = []
        var rest = letters.map(\.description).filter(ReadPosition.isID)[...]
        while !rest.isEmpty {
            done += try await run(script, texts: Array(rest.prefix(100))).elements.compactMap(\.text).map(
                DeadLetter.Key.init)
            rest = rest.dropFirst(100)
        }
        return done
    }

    /// Counts what is where, in one script. The time of `QueueStatus.oldest` is by the server's clock.
    public func status() async throws(QueueError) -> QueueStatus {
        let reply = try await run(.status, with: [])
        var status = QueueStatus()
        status.workers = Self.standings(
            consumers: reply[6], counters: reply[7], silences: reply[8], notes: reply[10])
        status.waiting = max(0, (reply[0].number ?? 0) - status.taken)
        status.urgent = reply[6].elements.filter { Self.lane(of: $0[0].text ?? "") == "urgent" }
            .reduce(0) { $0 + ($1[1].number ?? 0) }
        status.delayed = reply[1].number ?? 0
        status.dead = reply[2].number ?? 0
        status.outcomes = reply[3].number ?? 0
        status.outcomesCut = reply[4].number ?? 0
        status.oldest = reply[5].text.flatMap { $0.split(separator: "-").first }.flatMap { Double($0) }
            .map { Date(timeIntervalSince1970: $0 / 1_000) }
        status.maxOutcomes = reply[9].text.flatMap { Int($0) }
        status.steering = QueueSteering(reply[11])
        return status
    }

    private static func standings(
        consumers: RedisReply, counters: RedisReply, silences: RedisReply, notes: RedisReply
    ) -> [WorkerID: WorkerStanding] {
        var standings: [WorkerID: WorkerStanding] = [:]
        for name in counters.pairs.keys { standings[WorkerID(name)] = WorkerStanding() }
        for consumer in consumers.elements {
            guard let name = consumer[0].text, let count = consumer[1].number, lane(of: name) == nil else { continue }
            standings[WorkerID(name), default: WorkerStanding()].taken = count
        }
        for (name, milliseconds) in silences.pairs {
            standings[WorkerID(name)]?.silence = milliseconds.number.map { .milliseconds($0) }
        }
        for (name, note) in notes.pairs { standings[WorkerID(name)]?.note = note.text }
        return standings
    }

    private func deadPage(after id: String, limit: Int) async throws(QueueError) -> [DeadLetter] {
        try await run(.deadLetters, texts: [id, "\(limit)"]).elements.compactMap { letter in
            guard let id = letter[0].text, let reason = letter[1][1].text else { return nil }
            let words = Array(letter[1].elements.dropFirst(4))
            var dead = DeadLetter(DeadLetter.Key(id), StoredEntry.entry(words), reason: reason)
            dead.fields = EntryField.texts(StoredEntry.fields(words))
            return dead
        }
    }
}
