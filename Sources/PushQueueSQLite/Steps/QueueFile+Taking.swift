import PushQueue
import PushSQLite

extension QueueFile {
    func take(as name: WorkerID, tokens: Int) throws -> [ReadEntry] {
        try database.atomically {
            let (last, takenTo, _, before) = try counters()
            var (debt, paces) = (before, try paces())
            // Each lane has what its campaigns may have: which of them gets it is chosen below.
            var (urgent, ordinary) = (QueueFront(room: tokens, paces), QueueFront(room: tokens, paces))
            if try !paces.isEmpty || hasUrgent() {
                try fill(&urgent, of: .urgent) {
                    try addDue(of: .urgent, from: QueueSchema.urgent, through: QueueSchema.urgent, to: &$0)
                }
            }
            // Between two ordinary entries any number of urgent ones can lie.
            let end = urgent.isFull ? min(last, takenTo + Self.mostPassed) : last
            try fill(&ordinary, of: .ordinary) { try addFresh(from: takenTo, through: end, to: &$0) }
            for entry in urgent.held + ordinary.held { try holdBack(entry) }
            let fronts = [LaneDebt.Lane.urgent: urgent, .ordinary: ordinary]
            let choices = debt.choose(urgent: urgent.tokens, ordinary: ordinary.tokens, room: tokens) { choice in
                guard let front = fronts[choice.lane] else { return false }
                let campaign = front.entries[choice.index].campaign
                guard paces.permits(campaign) else { return false }
                paces.charge(front.tokens[choice.index], to: campaign)
                return true
            }
            if debt != before { try sql.setDebt.run(queue, Int64(debt.tokens)) }
            let passed = ordinary.passed(taking: Set(choices.filter { $0.lane == .ordinary }.map(\.index)))
            if passed > takenTo { try sql.moveTaken.run(queue, passed) }
            for pace in paces.changed { try setCharged(pace) }
            let chosen = choices.compactMap { fronts[$0.lane]?.entries[$0.index] }
            guard !chosen.isEmpty else { return [] }
            let worker = try number(of: name)
            try takeFresh(chosen, for: worker)
            return try chosen.map { try take($0, for: worker) }
        }
    }

    /// Finds what is first in a lane: what was released or delayed, then the `rest` and what its rates permit.
    private func fill(
        _ front: inout QueueFront, of lane: LaneDebt.Lane, _ rest: (inout QueueFront) throws -> Void
    ) throws {
        try addDue(of: lane, from: 0, through: now(), to: &front)
        let paced = try paced(of: lane, front)
        guard !paced.isEmpty else { return try rest(&front) }
        var others = QueueFront(room: front.room, front.paces)
        try rest(&others)
        front.add(paced + [others])
    }

    /// What of a lane waits for the rates of campaigns, as far as each permits it, behind what a front has.
    private func paced(of lane: LaneDebt.Lane, _ front: QueueFront) throws -> [QueueFront] {
        guard !front.isFull else { return [] }
        return try front.paces.open.map { pace in
            var paced = QueueFront(room: front.room, front.paces)
            try addDue(of: lane, from: pace.aside, through: pace.aside, to: &paced)
            return paced
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
        for run in Self.runs(entries.compactMap { $0.isFresh ? $0.number : nil }) {
            try sql.addTaken.run(run.lowerBound, run.upperBound, then: queue, then: worker)
        }
    }

    private func take(_ entry: Candidate, for worker: Int64) throws -> ReadEntry {
        if entry.isFresh {
            return ReadEntry(number: entry.number, fields: try entry.fields ?? fields(of: entry.number))
        }
        try sql.takeLater.run(entry.number, worker)
        try sql.removeLater.run(entry.number)
        return ReadEntry(
            number: entry.number, fields: try fields(of: entry.number), offered: entry.offered, settled: entry.settled,
            doubts: entry.doubts, retries: entry.retries, hold: entry.hold)
    }

    /// How many numbers one take looks at for an ordinary entry, while urgent ones fill it.
    private static let mostPassed: Int64 = 1_024

    /// What of a lane is in `later` with such times: what was released, then what was delayed and is due.
    private func addDue(of lane: LaneDebt.Lane, from first: Int64, through last: Int64, to front: inout QueueFront)
        throws
    {
        guard !front.isFull else { return }
        let mayBeHeld = try !front.paces.isEmpty || hasHolds()
        let rows = mayBeHeld ? sql.dueWithHolds : sql.due
        try rows.bind(1, queue)
        try rows.bind(2, Int64(lane == .urgent ? 1 : 0))
        try rows.bind(3, first)
        try rows.bind(4, last)
        defer { rows.reset() }
        while !front.isFull, try rows.step() {
            var entry = Candidate(
                number: rows.integer(0), count: rows.int(1), offered: rows.int(2), settled: rows.string(3),
                doubts: rows.int(4), retries: rows.int(5))
            let open = Self.open(entry.count, settled: entry.settled)
            entry.hold = mayBeHeld ? rows.text(6).flatMap(QueueCampaign.Hold.init(rawValue:)) : nil
            entry.campaign = mayBeHeld ? rows.text(7) : nil
            if let held = held(entry, open: open, by: front.paces) {
                // What waits for a rate is there already.
                if held.due == last { return }
                front.held.append(held)
            } else {
                front.add(entry, open: open)
            }
        }
    }

    /// What becomes of an entry that is not taken because of its campaign; nil if it may be taken.
    private func held(_ entry: Candidate, open: Int, by paces: CampaignPaces) -> HeldEntry? {
        guard let name = entry.campaign else { return nil }
        func until(_ due: Int64?) -> HeldEntry {
            HeldEntry(number: entry.number, due: due, campaign: name, tokens: open)
        }
        switch entry.hold {
        case .paused: return until(QueueSchema.paused)
        case .cancelled: return entry.doubts == 0 && entry.offered == 0 ? until(nil) : nil
        case nil: return paces.permits(name) ? nil : paces[name].map { until($0.aside) }
        }
    }

    /// What was never taken. What is passed on the way is in `later`, `taken` or `dead`, and never becomes fresh again.
    private func addFresh(from takenTo: Int64, through last: Int64, to front: inout QueueFront) throws {
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
            let fields = isRead ? Self.fields(rows, from: 2) : nil
            front.add(Candidate(number: number, count: count, isFresh: true, fields: fields), open: count)
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
        try database.reading { () throws -> Int64? in
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
            let due = try sql.nextDue.step() && !sql.nextDue.isNull(0) ? sql.nextDue.integer(0) : nil
            return try [due.map { max(0, $0 - now()) }, nextAtRate()].compactMap(\.self).min()
        }
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
