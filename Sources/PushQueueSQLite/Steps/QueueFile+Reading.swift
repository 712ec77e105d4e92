import Foundation
import PushQueue
import PushSQLite

/// What is read beside the pushing.
extension QueueFile {
    /// Checks that the file is whole as far as a first look can tell.
    func check() throws {
        try database.reading { _ = try counters() }
    }

    func status() throws -> QueueStatus {
        try database.reading {
            let (_, takenTo, entries) = try counters()
            var status = QueueStatus()
            try sql.takenCounts.bind(1, queue)
            while try sql.takenCounts.step() {
                status.taken[WorkerID(sql.takenCounts.string(0))] = sql.takenCounts.int(1)
            }
            try sql.waitingLater.bind(1, queue)
            try sql.waitingLater.bind(2, now())
            if try sql.waitingLater.step() { status.delayed = sql.waitingLater.int(0) - sql.waitingLater.int(1) }
            sql.waitingLater.reset()
            status.waiting = max(0, entries - status.delayed - status.taken.values.reduce(0, +))
            try sql.deadCount.bind(1, queue)
            if try sql.deadCount.step() { status.dead = sql.deadCount.int(0) }
            sql.deadCount.reset()
            let list = try list(.all)
            (status.outcomes, status.outcomesCut) = (list.count, list.cut)
            status.oldest = try oldestPut(takenTo).map { Date(timeIntervalSince1970: TimeInterval($0) / 1_000) }
            return status
        }
    }

    /// When the oldest entry that waits was put in.
    private func oldestPut(_ takenTo: Int64) throws -> Int64? {
        try sql.firstPut.bind(1, takenTo)
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

    func requeue(_ ids: Set<EntryID>) throws -> [EntryID] {
        try database.atomically {
            let found = try deadEntries(ids)
            for entry in found {
                try sql.removeDead.run(entry.number)
                try addLater(entry.number, 0, entry.count, entry.settled)
            }
            try sql.shrink.run(queue, -Int64(found.count))
            return found.map(\.id)
        }
    }

    private struct DeadEntry {
        let number: Int64
        let count: Int
        let settled: String
        let id: EntryID
    }

    /// Those of these ids that are dead and can be read.
    private func deadEntries(_ ids: Set<EntryID>) throws -> [DeadEntry] {
        try sql.deadIDs.bind(1, queue)
        var found: [DeadEntry] = []
        while try sql.deadIDs.step() {
            guard let id = EntryID(sql.deadIDs.string(3)), ids.contains(id) else { continue }
            let number = sql.deadIDs.integer(0)
            guard case .success = ReadEntry(number: number, fields: try fields(of: number)).decoded else { continue }
            found.append(
                DeadEntry(number: number, count: sql.deadIDs.int(1), settled: sql.deadIDs.string(2), id: id))
        }
        return found
    }
}
