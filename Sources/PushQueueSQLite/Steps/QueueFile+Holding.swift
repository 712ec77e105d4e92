import PushQueue
import PushSQLite

/// What a worker does with what it has, and how workers judge each other.
extension QueueFile {
    func offer(as name: WorkerID, _ ends: [TakenEntry.Key: Int]) throws {
        try database.atomically {
            let worker = try worker(name)?.number
            for (key, end) in ends {
                if let worker, let number = number(of: key) {
                    try sql.setOffering.run(number, worker, then: Int64(end))
                    if database.changedRows > 0 { continue }
                }
                // The error takes back what was stored of the others.
                throw QueueError(
                    .fenced,
                    "The worker \(name) does not have an entry any more: another has taken it over, because this one "
                        + "seemed dead. What it has not sent yet must not be sent.")
            }
        }
    }

    func release(as name: WorkerID, _ keys: [TakenEntry.Key]) throws {
        try database.atomically {
            guard let worker = try worker(name)?.number else { return }
            for case let number? in keys.map(number(of:)) {
                try sql.release.run(number, worker)
                if database.changedRows > 0 { try sql.removeTaken.run(number) }
            }
        }
    }

    func beat(as name: WorkerID) throws -> [WorkerID: UInt64] {
        try database.atomically {
            try sql.beat.bind(3, now())
            try run(sql.beat, with: name.description)
            var counters: [WorkerID: UInt64] = [:]
            try sql.counters.bind(1, queue)
            while try sql.counters.step() {
                counters[WorkerID(sql.counters.string(0))] = UInt64(clamping: sql.counters.integer(1))
            }
            return counters
        }
    }

    func reclaim(
        from dead: WorkerID, at counter: UInt64, as name: WorkerID, limit: Int
    ) throws -> [ReadEntry] {
        try database.atomically {
            guard dead != name, let gone = try worker(dead), gone.counter == counter else { return [] }
            let worker = try number(of: name)
            var list: [ReadEntry] = []
            while list.isEmpty {
                let numbers = try numbers(takenBy: gone.number, limit: max(1, limit))
                if numbers.isEmpty { break }
                for number in numbers { try sql.reclaim.run(number, worker) }
                let holds = try hasHolds() ? holds() : [:]
                for number in numbers {
                    let entry = try taken(number, holds)
                    if try !keepBack(entry, of: worker, holds) { list.append(entry) }
                }
            }
            try leave(dead)
            return list
        }
    }

    /// Keeps what a dead worker had in the queue, or removes it, if its campaign is held.
    ///
    /// - Returns: Whether it did.
    private func keepBack(
        _ entry: ReadEntry, of worker: Int64, _ holds: [String: QueueCampaign.Hold]
    ) throws -> Bool {
        guard let campaign = entry.campaign, let hold = holds[campaign], hold == .paused || !entry.isInDoubt else {
            return false
        }
        try sql.release.run(entry.number, worker)
        try sql.removeTaken.run(entry.number)
        let open = Self.open(entry.count, settled: entry.settled)
        let due = hold == .paused ? QueueSchema.paused : nil
        try holdBack(HeldEntry(number: entry.number, due: due, campaign: campaign, tokens: open))
        return true
    }

    /// Permits tokens at a rate that all workers of the queue keep together.
    func permit(_ tokens: Int, at rate: QueueRate) throws -> PushPermit {
        try database.atomically {
            try sql.permitted.bind(1, queue)
            let before = try sql.permitted.step() ? sql.permitted.integer(0) : 0
            sql.permitted.reset()
            var until = before
            let permit = rate.permit(tokens, stored: &until, now: nanoseconds())
            if until != before { try sql.setPermitted.run(queue, until) }
            return permit
        }
    }

    /// Stores why a worker takes nothing. That is rare, so its statement is not kept.
    func note(as name: WorkerID, _ note: String?) throws {
        let update = try database.prepare("UPDATE workers SET note = ?3 WHERE queue = ?1 AND name = ?2")
        try update.bind(1, queue)
        try update.bind(2, name.description)
        try update.bind(3, note)
        try update.run()
    }

    func leave(as name: WorkerID) throws {
        try database.atomically { try leave(name) }
    }

    /// Forgets the worker, unless it has something.
    private func leave(_ name: WorkerID) throws {
        try run(sql.leave, with: name.description)
    }

    func worker(_ name: WorkerID) throws -> (number: Int64, counter: UInt64)? {
        try sql.worker.bind(1, queue)
        try sql.worker.bind(2, name.description)
        defer { sql.worker.reset() }
        guard try sql.worker.step() else { return nil }
        return (sql.worker.integer(0), UInt64(clamping: sql.worker.integer(1)))
    }

    /// The worker's number; it gets one if it has none.
    func number(of name: WorkerID) throws -> Int64 {
        if let known = try worker(name) { return known.number }
        try run(sql.addWorker, with: name.description)
        return database.lastInsertedRow
    }
}
