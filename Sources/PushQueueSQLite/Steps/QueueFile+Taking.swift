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

    /// The front of a lane: as many entries as fit, and the next one.
    private struct Front {
        var entries: [Candidate] = []
        /// How many open tokens each of them has.
        var tokens: [Int] = []
        /// How many more tokens fit.
        var room: Int
        /// Those of campaigns of which nothing is taken.
        var held: [HeldEntry] = []
        /// Up to which number all that is fresh is among the entries.
        var freshEnd: Int64 = 0

        /// The others that are held follow in the next take: each is a write, and all are one step.
        var isFull: Bool { room <= 0 || held.count >= mostHeld }

        mutating func add(_ entry: Candidate, open: Int) {
            entries.append(entry)
            tokens.append(open)
            room -= open
        }

        /// Up to which number there is nothing fresh, now and later, once the first entries are taken.
        func passed(taking count: Int) -> Int64 {
            entries.dropFirst(count).first { $0.fields != nil }.map { $0.number - 1 } ?? freshEnd
        }
    }

    func take(as name: WorkerID, tokens: Int) throws -> [ReadEntry] {
        try database.atomically {
            let (last, takenTo, _, before) = try counters()
            var (debt, urgent) = (before, Front(room: tokens))
            if try hasUrgent() {
                // What is urgent from the start is taken behind what was released and delayed.
                try addDue(of: .urgent, from: 0, through: now(), to: &urgent)
                try addDue(of: .urgent, from: QueueSchema.urgent, through: QueueSchema.urgent, to: &urgent)
            }
            var ordinary = Front(room: tokens)
            try addDue(of: .ordinary, from: 0, through: now(), to: &ordinary)
            // Between two ordinary entries any number of urgent ones can lie.
            let end = urgent.isFull ? min(last, takenTo + Self.mostPassed) : last
            try addFresh(from: takenTo, through: end, to: &ordinary)
            for entry in urgent.held + ordinary.held { try holdBack(entry) }
            let lanes = debt.choose(urgent: urgent.tokens, ordinary: ordinary.tokens, room: tokens)
            if debt != before { try sql.setDebt.run(queue, Int64(debt.tokens)) }
            let passed = ordinary.passed(taking: lanes.count { $0 == .ordinary })
            if passed > takenTo { try sql.moveTaken.run(queue, passed) }
            guard !lanes.isEmpty else { return [] }
            let worker = try number(of: name)
            var rest = (urgent: urgent.entries[...], ordinary: ordinary.entries[...])
            let chosen = lanes.compactMap { $0 == .urgent ? rest.urgent.popFirst() : rest.ordinary.popFirst() }
            try takeFresh(chosen, for: worker)
            return try chosen.map { try take($0, for: worker) }
        }
    }

    private func hasUrgent() throws -> Bool {
        try sql.hasUrgent.bind(1, queue)
        try sql.hasUrgent.bind(2, now())
        defer { sql.hasUrgent.reset() }
        return try sql.hasUrgent.step()
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

    /// How many numbers one take looks at for an ordinary entry, while urgent ones fill it.
    private static let mostPassed: Int64 = 1_024
    /// How many entries of held campaigns of a lane one take moves.
    private static let mostHeld = 1_000

    /// What of a lane is in `later` with such times: what was released, then what was delayed and is due.
    private func addDue(
        of lane: LaneDebt.Lane, from first: Int64, through last: Int64, to front: inout Front
    ) throws {
        guard !front.isFull else { return }
        let mayBeHeld = try hasHolds()
        let rows = mayBeHeld ? sql.dueWithHolds : sql.due
        try rows.bind(1, queue)
        try rows.bind(2, Int64(lane == .urgent ? 1 : 0))
        try rows.bind(3, first)
        try rows.bind(4, last)
        defer { rows.reset() }
        while !front.isFull, try rows.step() {
            var entry = Candidate(
                number: rows.integer(0), count: rows.int(1), fields: nil, offered: rows.int(2), settled: rows.string(3),
                doubts: rows.int(4), retries: rows.int(5))
            let open = Self.open(entry.count, settled: entry.settled)
            entry.hold = mayBeHeld ? rows.text(6).flatMap(QueueCampaign.Hold.init(rawValue:)) : nil
            if let hold = entry.hold, hold == .paused || (entry.doubts == 0 && entry.offered == 0) {
                front.held.append(
                    HeldEntry(number: entry.number, hold: hold, campaign: rows.string(7), tokens: open))
            } else {
                front.add(entry, open: open)
            }
        }
    }

    /// What was never taken. What is passed on the way is in `later`, `taken` or `dead`, and never becomes fresh again.
    private func addFresh(from takenTo: Int64, through last: Int64, to front: inout Front) throws {
        guard !front.isFull else { return }
        let start = max(takenTo, passed)
        let rows = try areAllFresh(from: start, through: last) ? sql.allFresh : sql.fresh
        try rows.bind(1, start)
        try rows.bind(2, last)
        defer { rows.reset() }
        while try rows.step() {
            let (number, count) = (rows.integer(0), rows.int(1))
            // The next one is chosen only if there is no other.
            let isRead = count <= front.room || front.entries.isEmpty
            front.add(
                Candidate(number: number, count: count, fields: isRead ? Self.fields(rows, from: 2) : []), open: count)
            front.freshEnd = number
            if front.isFull { return }
        }
        front.freshEnd = last
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
            let (last, takenTo, _, _) = try counters()
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
