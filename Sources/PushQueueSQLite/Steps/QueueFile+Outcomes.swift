import PushQueue
import PushSQLite

extension QueueFile {
    func store(_ batch: OutcomeBatch) throws {
        guard batch.count > 0 else { return }
        try store(batch.all, in: .all)
        try store(batch.feedback, in: .feedback)
    }

    private func store(_ lines: OutcomeBatch.Lines, in list: OutcomeList) throws {
        guard !lines.records.isEmpty else { return }
        for record in lines.records {
            try sql.addOutcomes.bind(1, queue)
            try sql.addOutcomes.bind(2, list.rawValue)
            try sql.addOutcomes.bind(3, Int64(record.count))
            try sql.addOutcomes.bind(5, now())
            try sql.addOutcomes.run(4, utf8: record.rows)
        }
        let (count, last) = (lines.records.reduce(0) { $0 + $1.count }, lines.records.last?.count ?? 0)
        try change(sql.addToList, in: list, with: Int64(count), database.lastInsertedRow, Int64(last))
        try cut(list)
    }

    private func change(_ statement: Statement, in list: OutcomeList, with values: Int64...) throws {
        for (index, value) in values.enumerated() { try statement.bind(Int32(3 + index), value) }
        try run(statement, with: list.rawValue)
    }

    struct ListState {
        var count = 0
        /// How many were removed unread.
        var cut = 0
        /// How far it was read.
        var read = OutcomePosition()
        /// Its end.
        var last = OutcomePosition()
    }

    func list(_ list: OutcomeList) throws -> ListState {
        try sql.list.bind(1, queue)
        try sql.list.bind(2, list.rawValue)
        defer { sql.list.reset() }
        var state = ListState()
        guard try sql.list.step() else { return state }
        (state.count, state.cut) = (sql.list.int(0), sql.list.int(1))
        (state.read.number, state.read.rows) = (sql.list.integer(2), sql.list.int(3))
        (state.last.number, state.last.rows) = (sql.list.integer(4), sql.list.int(5))
        return state
    }

    /// Removes the oldest records while the list has too many outcomes.
    private func cut(_ list: OutcomeList) throws {
        let (state, limit) = (
            try self.list(list), try maxOutcomes() ?? configuration.maxOutcomes ?? OutcomePage.usualLimit
        )
        var count = state.count
        while count > limit, let oldest = try oldest(list) {
            try remove(oldest, from: list, unread: max(0, oldest.count - oldest.seen(at: state.read)))
            count -= oldest.count
        }
    }

    /// How many outcomes a list may have, if that is stored.
    func maxOutcomes() throws -> Int? {
        try sql.maxOutcomes.bind(1, queue)
        defer { sql.maxOutcomes.reset() }
        return try sql.maxOutcomes.step() && !sql.maxOutcomes.isNull(0) ? sql.maxOutcomes.int(0) : nil
    }

    /// Stores it. A file that has it already is not written.
    func limitOutcomes(to count: Int) throws {
        try database.atomically {
            guard try maxOutcomes() != count else { return }
            try database.execute("UPDATE queues SET max_outcomes = \(count) WHERE queue = \(queue)")
        }
    }

    /// Removes the oldest records that were read to their end and lie within a bound, as many as one call may remove.
    func trim(_ list: OutcomeList, _ bound: RecordBound) throws -> Int {
        try database.atomically {
            let read = try self.list(list).read
            var (rows, records) = (0, 0)
            while records < 256, let oldest = try oldest(list), oldest.seen(at: read) == oldest.count,
                bound.contains(oldest)
            {
                try remove(oldest, from: list, unread: 0)
                (rows, records) = (rows + oldest.count, records + 1)
            }
            return rows
        }
    }

    /// Frees space on a full disk: the log is written into the file, and what was read of the outcomes is removed.
    ///
    /// What a transaction removes must fit into the log first, so each removes few records, and the log is emptied
    /// after it. What was removed before the disk had no room even for that stays removed. One call removes a bounded
    /// number of records, so that the worker's other calls do not wait long. Nor does it wait for other processes more
    /// than once.
    func makeRoom() throws {
        do {
            for _ in 0..<64 {
                let isEmpty = try emptyLog()
                guard try database.atomically({ try removeRead(atMost: 64) }), isEmpty else { return }
            }
            _ = try emptyLog()
        } catch let error as SQLiteError where error.isFull {}
    }

    /// False if another process was reading for the whole busy timeout. Then it changes nothing.
    private func emptyLog() throws -> Bool { try database.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0 }

    /// Removes the oldest records that were read to their end. False if there were none.
    private func removeRead(atMost limit: Int) throws -> Bool {
        var removed = 0
        for list in OutcomeList.allCases {
            let read = try self.list(list).read
            while removed < limit, let oldest = try oldest(list), oldest.number < read.number {
                try remove(oldest, from: list, unread: 0)
                removed += 1
            }
        }
        return removed > 0
    }

    private func remove(_ record: OutcomeRecord, from list: OutcomeList, unread: Int) throws {
        try sql.removeOutcomes.run(record.number)
        try change(sql.cutList, in: list, with: Int64(record.count), Int64(unread))
    }

    private func oldest(_ list: OutcomeList) throws -> OutcomeRecord? {
        try sql.oldestOutcomes.bind(1, queue)
        try sql.oldestOutcomes.bind(2, list.rawValue)
        defer { sql.oldestOutcomes.reset() }
        guard try sql.oldestOutcomes.step() else { return nil }
        return OutcomeRecord(
            number: sql.oldestOutcomes.integer(0), count: sql.oldestOutcomes.int(1),
            stored: sql.oldestOutcomes.isNull(2) ? nil : sql.oldestOutcomes.integer(2))
    }

    /// Rows after a position, and the position behind them; nil if there never was one.
    func rows(
        of list: OutcomeList, after position: OutcomePosition, limit: Int, marking: Bool
    ) throws -> (rows: [StoredRow], end: OutcomePosition?) {
        let state = try self.list(list)
        // A position in a file that was lost may lie behind all that this one has.
        let start = position > state.last ? OutcomePosition() : position
        // What a reader asks for next says what it has read.
        if marking, start > state.read {
            try database.atomically {
                if start > (try self.list(list).read) {
                    try change(sql.readTo, in: list, with: start.number, Int64(start.rows))
                }
            }
        }
        var (rows, end) = ([StoredRow](), start)
        try sql.outcomes.bind(1, queue)
        try sql.outcomes.bind(2, list.rawValue)
        try sql.outcomes.bind(3, start.number)
        defer { sql.outcomes.reset() }
        while rows.count < limit, try sql.outcomes.step() {
            let number = sql.outcomes.integer(0)
            let skipped = number == start.number ? start.rows : 0
            let lines = sql.outcomes.withBytes(2) { bytes in
                bytes.split(separator: UInt8(ascii: "\n")).dropFirst(skipped).prefix(limit - rows.count).map(Array.init)
            }
            guard !lines.isEmpty else { continue }
            for line in lines {
                end = OutcomePosition(number: number, rows: (end.number == number ? end.rows : 0) + 1)
                rows.append(StoredRow(line: line, end: end))
            }
        }
        return (rows, end.number == 0 ? nil : end)
    }
}
