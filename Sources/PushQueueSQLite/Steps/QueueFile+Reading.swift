import FoundationEssentials
import PushQueue
import PushSQLite

/// What is read beside the pushing.
extension QueueFile {
    /// Checks that the file can be written, and is whole as far as a first look can tell.
    func check() throws {
        if isReadOnly { throw QueueFailure.cannotBeWritten(path) }
        try database.reading { _ = try counters() }
    }

    func status() throws -> QueueStatus {
        try database.reading {
            let (_, takenTo, entries, _) = try counters()
            var status = QueueStatus()
            status.workers = try workers()
            try sql.waitingLater.bind(1, queue)
            try sql.waitingLater.bind(2, now())
            if try sql.waitingLater.step() {
                status.delayed = sql.waitingLater.int(0) - sql.waitingLater.int(1)
                status.urgent = sql.waitingLater.int(2)
            }
            sql.waitingLater.reset()
            status.waiting = max(0, entries - status.delayed - status.taken)
            try sql.deadCount.bind(1, queue)
            if try sql.deadCount.step() { status.dead = sql.deadCount.int(0) }
            sql.deadCount.reset()
            let list = try list(.all)
            (status.outcomes, status.outcomesCut) = (list.count, list.cut)
            status.maxOutcomes = try maxOutcomes()
            status.steering = try steering()
            status.oldest = try oldestPut(takenTo).map { Date(timeIntervalSince1970: TimeInterval($0) / 1_000) }
            return status
        }
    }

    private func workers() throws -> [WorkerID: WorkerStanding] {
        var counts: [Int64: Int] = [:]
        try sql.takenCounts.bind(1, queue)
        while try sql.takenCounts.step() { counts[sql.takenCounts.integer(0)] = sql.takenCounts.int(1) }
        var workers: [WorkerID: WorkerStanding] = [:]
        try sql.workers.bind(1, queue)
        while try sql.workers.step() {
            let beat = sql.workers.isNull(2) ? nil : sql.workers.integer(2)
            workers[WorkerID(sql.workers.string(1))] = WorkerStanding(
                taken: counts[sql.workers.integer(0)] ?? 0, silence: beat.map { .milliseconds(max(0, now() - $0)) },
                note: sql.workers.text(3))
        }
        return workers
    }

    /// When the oldest entry that waits was put in.
    private func oldestPut(_ takenTo: Int64) throws -> Int64? {
        try sql.firstPut.bind(1, max(takenTo, passed))
        try sql.firstPut.bind(2, highest)
        try sql.firstLaterPut.bind(1, queue)
        try sql.firstLaterPut.bind(2, now())
        return try [sql.firstPut, sql.firstLaterPut].compactMap { statement in
            defer { statement.reset() }
            return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
        }.min()
    }

    // MARK: Dead letters

    struct ReadLetter: Sendable {
        let entry: ReadEntry
        let reason: String
    }

    func deadLetters(limit: Int) throws -> [ReadLetter] {
        try database.reading {
            try sql.dead.bind(1, queue)
            try sql.dead.bind(2, Int64(limit))
            var letters: [ReadLetter] = []
            while try sql.dead.step() {
                let number = sql.dead.integer(0)
                letters.append(
                    ReadLetter(
                        entry: ReadEntry(number: number, fields: try fields(of: number)), reason: sql.dead.string(1)))
            }
            return letters
        }
    }

    /// Puts dead letters back. Returns those that were there.
    func requeue(_ keys: [DeadLetter.Key]) throws -> [DeadLetter.Key] {
        try endDeath(of: keys) { number in
            try sql.deadEntry.bind(1, number)
            defer { sql.deadEntry.reset() }
            guard try sql.deadEntry.step() else { return }
            try addLater(number, due: 0, count: sql.deadEntry.int(0), settled: sql.deadEntry.string(1), retries: 0)
            try sql.shrink.run(queue, -1)
        }
    }

    /// Removes dead letters. Returns those that were there.
    func discard(_ keys: [DeadLetter.Key]) throws -> [DeadLetter.Key] {
        try endDeath(of: keys) { number in try sql.removeEntry.run(number) }
    }

    /// Takes entries out of `dead`, after `next` has been done with each that is there.
    private func endDeath(of keys: [DeadLetter.Key], _ next: (Int64) throws -> Void) throws -> [DeadLetter.Key] {
        try database.atomically {
            try keys.filter { key in
                guard let number = number(of: key), try isDead(number) else { return false }
                try next(number)
                try sql.removeDead.run(number)
                return true
            }
        }
    }

    private func isDead(_ number: Int64) throws -> Bool {
        try sql.deadEntry.bind(1, number)
        defer { sql.deadEntry.reset() }
        return try sql.deadEntry.step()
    }
}
