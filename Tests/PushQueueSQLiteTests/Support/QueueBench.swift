import Foundation
import PushLocking
import PushQueue
import PushQueueSQLite
import PushQueueTesting
import PushSQLite
import SupervisedPush

/// A folder for queue files, and the clock by which entries are delayed.
final class QueueBench: Sendable {
    let folder = NSTemporaryDirectory() + "/push-queue-\(UUID().uuidString)"
    private let clock = Locked(Date(timeIntervalSince1970: 1_800_000_000))

    init() { try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var path: String { folder + "/pushes.db" }

    var now: @Sendable () -> Date { { [clock] in clock.withLock { $0 } } }

    func pass(_ time: Duration) { clock.withLock { $0 += time / .seconds(1) } }

    func queue(
        _ name: String = "push", _ options: SQLiteQueue.Configuration = .patient, path: String? = nil
    ) -> SQLiteQueue {
        SQLiteQueue(path ?? self.path, name: name, configuration: options, now: now)
    }

    /// The file as another program sees it. A queue that the test has used last keeps the file locked while it closes it.
    func database() throws -> Database { try Database(path, .readWrite, busyMilliseconds: 60_000) }

    func stage(_ make: @escaping @Sendable (SQLiteQueue.Configuration) -> any PushQueueStore) -> QueueStoreStage {
        QueueStoreStage(
            { maxEntries, maxOutcomes in
                var options = SQLiteQueue.Configuration.patient
                (options.maxEntries, options.maxOutcomes) = (maxEntries, maxOutcomes)
                return make(options)
            },
            putUnreadable: { [path] store in
                let entry = try entry()
                try await store.enqueue([entry])
                let database = try Database(path, .readWrite)
                try database.execute("UPDATE entries SET payload = NULL WHERE id = '\(entry.id)'")
            },
            storeUnreadable: { [path] _ in
                let database = try Database(path, .readWrite)
                try database.execute(
                    """
                    INSERT INTO outcomes (queue, list, count, rows)
                    SELECT queue, 'outcomes', 1, '{"outcome":"diverted"}' || char(10) FROM queues;
                    UPDATE lists SET count = count + 1, last = last_insert_rowid(), last_rows = 1 WHERE list = 'outcomes';
                    """)
            },
            now: now, pass: { self.pass($0) })
    }

    /// The names of what is in the folder.
    var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } }

    /// Sets the rights of the file and of those beside it.
    func allow(_ rights: Int) throws {
        for file in try files {
            try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: folder + "/" + file)
        }
    }

    /// Copies the file and its log, as the end of the process would leave them, and opens the copy.
    func copy() throws -> SQLiteQueue {
        let copy = folder + "/copy-\(UUID().uuidString).db"
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return queue(path: copy)
    }
}

extension SQLiteQueue.Configuration {
    /// Waits for long while another connection writes: it may get no processor time for a while.
    static var patient: Self {
        var options = Self()
        options.busyTimeout = .seconds(60)
        return options
    }
}

extension WorkerID {
    static let ann = WorkerID("ann-1")
    static let bob = WorkerID("bob-1")
}

/// An entry for this number of devices.
func entry(_ tokens: Int = 1, notBefore: Date? = nil, body: String = "Boarding") throws -> QueueEntry {
    let id = EntryID()
    return try QueueEntry(
        .alert(title: "Flight A998", body: body),
        to: (0..<tokens).map { try DeviceToken("\(id)" + String(0x1000 + $0, radix: 16)) }, id: id, notBefore: notBefore
    )
}

extension TakenEntry {
    /// Each push was delivered.
    func delivered() throws -> Settlement {
        let entry = try entry.get()
        let rows = entry.tokens.enumerated().map { index, token in
            QueueOutcome(entry: entry.id, index: index, token: token, PushOutcome(.delivered, status: 200, attempts: 1))
        }
        return Settlement(key, rows: rows, fate: .done)
    }
}

/// The error of a call; nil if it throws none.
func error(_ call: () async throws -> Void) async -> QueueError? {
    do {
        try await call()
        return nil
    } catch { return error as? QueueError }
}
