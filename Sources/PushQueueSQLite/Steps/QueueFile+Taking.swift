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
    }

    func take(as name: WorkerID, tokens: Int) throws -> [ReadEntry] {
        try database.atomically {
            let (last, takenTo, _) = try counters()
            var room = tokens
            var chosen = try dueCandidates(&room)
            let isDone = chosen.isCut
            var next = takenTo
            if !isDone {
                let fresh = try freshCandidates(takenTo, &room, isFirst: chosen.entries.isEmpty)
                // All that is left up to the last one is in `later`, `taken` or `dead`.
                next = fresh.isCut ? fresh.entries.last?.number ?? takenTo : last
                chosen.entries += fresh.entries
            }
            if next > takenTo { try sql.moveTaken.run(queue, next) }
            guard !chosen.entries.isEmpty else { return [] }
            let worker = try number(of: name)
            return try chosen.entries.map { try take($0, worker) }
        }
    }

    private func take(_ entry: Candidate, _ worker: Int64) throws -> ReadEntry {
        if let fields = entry.fields {
            try sql.addTaken.run(entry.number, queue, worker, Int64(entry.count))
            return ReadEntry(number: entry.number, fields: fields)
        }
        try sql.takeLater.run(entry.number, worker)
        try sql.removeLater.run(entry.number)
        return ReadEntry(
            number: entry.number, fields: try fields(of: entry.number), offered: entry.offered, settled: entry.settled,
            doubts: entry.doubts)
    }

    /// What was released, then what was delayed and is due. It is cut if one did not fit.
    private func dueCandidates(_ room: inout Int) throws -> (entries: [Candidate], isCut: Bool) {
        try sql.due.bind(1, queue)
        try sql.due.bind(2, now())
        defer { sql.due.reset() }
        var found: [Candidate] = []
        while try sql.due.step() {
            let entry = Candidate(
                number: sql.due.integer(0), count: sql.due.int(1), fields: nil, offered: sql.due.int(2),
                settled: sql.due.string(3), doubts: sql.due.int(4))
            let open = Self.open(entry.count, entry.settled)
            guard open <= room || found.isEmpty else { return (found, true) }
            found.append(entry)
            room -= open
            if room <= 0 { return (found, true) }
        }
        return (found, false)
    }

    private func freshCandidates(
        _ takenTo: Int64, _ room: inout Int, isFirst: Bool
    ) throws -> (entries: [Candidate], isCut: Bool) {
        try sql.fresh.bind(1, takenTo)
        try sql.fresh.bind(2, highest)
        defer { sql.fresh.reset() }
        var found: [Candidate] = []
        while try sql.fresh.step() {
            let count = sql.fresh.int(1)
            guard count <= room || (isFirst && found.isEmpty) else { return (found, true) }
            found.append(
                Candidate(number: sql.fresh.integer(0), count: count, fields: Self.fields(sql.fresh, from: 2)))
            room -= count
            if room <= 0 { return (found, true) }
        }
        return (found, false)
    }

    /// In how many milliseconds there will be something to take: 0 if there is; nil if it takes another entry.
    func nextWork() throws -> Int64? {
        let due = try database.reading { () throws -> Int64? in
            let (last, takenTo, _) = try counters()
            if takenTo < last {
                try sql.fresh.bind(1, takenTo)
                try sql.fresh.bind(2, highest)
                defer { sql.fresh.reset() }
                if try sql.fresh.step() { return 0 }
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
            return try numbers.filter { !known.contains(TakenEntry.Key(String($0))) }.map(taken)
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
    func taken(_ number: Int64) throws -> ReadEntry {
        try sql.taken.bind(1, number)
        defer { sql.taken.reset() }
        var entry = ReadEntry(number: number, fields: try fields(of: number))
        guard try sql.taken.step() else { return entry }
        (entry.settled, entry.offered, entry.doubts) = (sql.taken.string(2), sql.taken.int(3), sql.taken.int(4))
        return entry
    }
}
