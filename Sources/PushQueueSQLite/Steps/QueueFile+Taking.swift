import PushQueue
import PushSQLite

extension QueueFile {
    /// An entry that can be taken.
    private struct Candidate {
        let number: Int64
        let count: Int
        /// What is stored of it, if it was read already; nil if it is in `later`.
        let fields: [EntryField]?
        var offered = 0
        var settled = ""
        var doubts = 0
        var retries = 0
        var hold: QueueCampaign.Hold?
    }

    private struct Candidates {
        var entries: [Candidate] = []
        /// Those of campaigns of which nothing is taken.
        var held: [HeldEntry] = []
        /// Whether one did not fit, so that none behind it may be taken.
        var isCut = false
        /// Up to which number there is nothing else to take, now and later.
        var passed: Int64 = 0
    }

    func take(as name: WorkerID, tokens: Int) throws -> [ReadEntry] {
        try database.atomically {
            let (last, takenTo, _) = try counters()
            var room = tokens
            var chosen = try dueCandidates(&room)
            for entry in chosen.held { try holdBack(entry) }
            if !chosen.isCut {
                let fresh = try freshCandidates(
                    takenTo: takenTo, last: last, room: &room, isFirst: chosen.entries.isEmpty)
                if fresh.passed > takenTo { try sql.moveTaken.run(queue, fresh.passed) }
                chosen.entries += fresh.entries
            }
            guard !chosen.entries.isEmpty else { return [] }
            let worker = try number(of: name)
            try takeFresh(chosen.entries, for: worker)
            return try chosen.entries.map { try take($0, for: worker) }
        }
    }

    /// Gives a worker those that are fresh. One statement for each run of numbers costs a third less than one for each
    /// entry.
    private func takeFresh(_ entries: [Candidate], for worker: Int64) throws {
        for run in Self.runs(entries.compactMap { $0.fields == nil ? nil : $0.number }) {
            try sql.addTaken.run(run.lowerBound, run.upperBound, then: queue, then: worker)
        }
    }

    private func take(_ entry: Candidate, for worker: Int64) throws -> ReadEntry {
        if let fields = entry.fields { return ReadEntry(number: entry.number, fields: fields) }
        try sql.takeLater.run(entry.number, worker)
        try sql.removeLater.run(entry.number)
        return ReadEntry(
            number: entry.number, fields: try fields(of: entry.number), offered: entry.offered, settled: entry.settled,
            doubts: entry.doubts, retries: entry.retries, hold: entry.hold)
    }

    /// How many entries of held campaigns one take moves.
    private static let mostHeld = 1_000

    /// What was released, then what was delayed and is due.
    private func dueCandidates(_ room: inout Int) throws -> Candidates {
        let mayBeHeld = try hasHolds()
        let rows = mayBeHeld ? sql.dueWithHolds : sql.due
        try rows.bind(1, queue)
        try rows.bind(2, now())
        defer { rows.reset() }
        var found = Candidates()
        while !found.isCut, try rows.step() {
            var entry = Candidate(
                number: rows.integer(0), count: rows.int(1), fields: nil, offered: rows.int(2), settled: rows.string(3),
                doubts: rows.int(4), retries: rows.int(5))
            let open = Self.open(entry.count, settled: entry.settled)
            let hold = mayBeHeld ? rows.text(6).flatMap(QueueCampaign.Hold.init(rawValue:)) : nil
            entry.hold = hold
            if let hold, hold == .paused || (entry.doubts == 0 && entry.offered == 0) {
                found.held.append(
                    HeldEntry(number: entry.number, hold: hold, campaign: rows.string(7), tokens: open))
                // The others follow in the next take: each is a write, and all are one step.
                found.isCut = found.held.count >= Self.mostHeld
                continue
            }
            found.isCut = open >= room
            guard open <= room || found.entries.isEmpty else { break }
            found.entries.append(entry)
            room -= open
        }
        return found
    }

    /// What was never taken. What is passed on the way is in `later`, `taken` or `dead`, and never becomes fresh again.
    private func freshCandidates(
        takenTo: Int64, last: Int64, room: inout Int, isFirst: Bool
    ) throws -> Candidates {
        let start = max(takenTo, passed)
        let rows = try areAllFresh(from: start, through: last) ? sql.allFresh : sql.fresh
        try rows.bind(1, start)
        try rows.bind(2, last)
        defer { rows.reset() }
        var found = Candidates()
        while !found.isCut, try rows.step() {
            let (number, count) = (rows.integer(0), rows.int(1))
            found.isCut = count >= room
            guard count <= room || (isFirst && found.entries.isEmpty) else {
                found.passed = number - 1
                return found
            }
            found.entries.append(Candidate(number: number, count: count, fields: Self.fields(rows, from: 2)))
            found.passed = number
            room -= count
        }
        if !found.isCut { found.passed = last }
        return found
    }

    /// Whether no entry above `start` is in another place: the usual case, which needs no search.
    private func areAllFresh(from start: Int64, through last: Int64) throws -> Bool {
        try sql.hasPlaces.bind(1, start)
        try sql.hasPlaces.bind(2, last)
        defer { sql.hasPlaces.reset() }
        return try !sql.hasPlaces.step()
    }

    /// In how many milliseconds there will be something to take: 0 if there is; nil if it takes another entry.
    func nextWork() throws -> Int64? {
        let due = try database.reading { () throws -> Int64? in
            let (last, takenTo, _) = try counters()
            if max(takenTo, passed) < last {
                try sql.fresh.bind(1, max(takenTo, passed))
                try sql.fresh.bind(2, last)
                defer { sql.fresh.reset() }
                if try sql.fresh.step() { return 0 }
                // Without this, each look would pass over the same delayed entries.
                passed = last
            }
            try sql.nextDue.bind(1, queue)
            defer { sql.nextDue.reset() }
            return try sql.nextDue.step() && !sql.nextDue.isNull(0) ? sql.nextDue.integer(0) : nil
        }
        return due.map { max(0, $0 - now()) }
    }

    func recover(as name: WorkerID, besides known: Set<TakenEntry.Key>) throws -> [ReadEntry] {
        try database.reading {
            guard let worker = try worker(name)?.number else { return [] }
            let numbers = try numbers(takenBy: worker, limit: .max)
            let holds = try hasHolds() ? holds() : [:]
            let unknown = numbers.filter { !known.contains(TakenEntry.Key(UInt64(clamping: $0))) }
            return try unknown.map { try taken($0, holds) }
        }
    }

    /// What a worker has, oldest first.
    func numbers(takenBy worker: Int64, limit: Int) throws -> [Int64] {
        try sql.takenByWorker.bind(1, worker)
        try sql.takenByWorker.bind(2, Int64(limit))
        defer { sql.takenByWorker.reset() }
        var numbers: [Int64] = []
        while try sql.takenByWorker.step() { numbers.append(sql.takenByWorker.integer(0)) }
        return numbers
    }

    /// An entry that is taken, as its worker gets it.
    func taken(_ number: Int64, _ holds: [String: QueueCampaign.Hold]) throws -> ReadEntry {
        try sql.taken.bind(1, number)
        defer { sql.taken.reset() }
        var entry = ReadEntry(number: number, fields: try fields(of: number))
        entry.hold = entry.campaign.flatMap { holds[$0] }
        guard try sql.taken.step() else { return entry }
        (entry.settled, entry.offered, entry.doubts) = (sql.taken.string(2), sql.taken.int(3), sql.taken.int(4))
        (entry.retries, entry.count) = (sql.taken.int(5), sql.taken.int(1))
        return entry
    }
}
