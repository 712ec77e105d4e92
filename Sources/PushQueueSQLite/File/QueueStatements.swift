import PushQueue
import PushSQLite

/// The statements of one connection. Preparing one costs more than running it, so they are kept.
struct QueueStatements {
    /// For an entry above `taken_to`. A delayed one that was due may have been taken, or have died, before those below
    /// it.
    static let isFresh = ["later", "taken", "dead"]
        .map { "NOT EXISTS (SELECT 1 FROM \($0) WHERE \($0).number = entries.number)" }.joined(separator: " AND ")

    /// For INSERT. Named, so that a column that comes later fails no program that has the file open.
    static let later = "later (number, queue, due, count, offered, settled, doubts, retries, urgent)"

    /// Whether an entry is urgent, as a number.
    private static func isUrgent(_ number: String) -> String {
        "ifnull((SELECT entries.urgent = '1' FROM entries WHERE entries.number = \(number)), 0)"
    }

    // The queue.
    let queue: Statement
    let grow: Statement
    let moveTaken: Statement
    let shrink: Statement
    let knownCall: Statement
    let rememberCall: Statement
    let permitted: Statement
    let setPermitted: Statement
    let setDebt: Statement
    let maxOutcomes: Statement
    let steering: Statement
    let holds: Statement
    let hasHolds: Statement
    let paces: Statement
    let setCharged: Statement
    let hasAside: Statement

    // Entries.
    let addEntry: Statement
    let addLater: Statement
    let entry: Statement
    let removeEntry: Statement
    let removeEntries: Statement
    let removeFresh: Statement
    let ids: Statement

    // Taking.
    let hasUrgent: Statement
    let due: Statement
    /// The same with the campaigns of which nothing is taken.
    let dueWithHolds: Statement
    let fresh: Statement
    let hasPlaces: Statement
    let allFresh: Statement
    let takeLater: Statement
    let removeLater: Statement
    let cancelLater: Statement
    let addTaken: Statement
    let nextDue: Statement

    // What is taken.
    let taken: Statement
    let takenByWorker: Statement
    let setSettled: Statement
    let setLaterSettled: Statement
    let setOffering: Statement
    let later: Statement
    let removeTaken: Statement
    let leaveWhole: Statement
    let wholeCount: Statement
    let release: Statement
    let reclaim: Statement

    // Workers.
    let worker: Statement
    let addWorker: Statement
    let beat: Statement
    let counters: Statement
    let leave: Statement

    // Dead letters.
    let addDead: Statement
    let dead: Statement
    let removeDead: Statement
    let deadEntry: Statement
    let oldestDead: Statement
    let deadCount: Statement

    // Outcomes.
    let addOutcomes: Statement
    let addToList: Statement
    let list: Statement
    let outcomes: Statement
    let oldestOutcomes: Statement
    let removeOutcomes: Statement
    let cutList: Statement
    let readTo: Statement

    // The status.
    let waitingLater: Statement
    let workers: Statement
    let takenCounts: Statement
    let firstPut: Statement
    let firstLaterPut: Statement

    init(_ database: Database) throws {
        func prepare(_ text: String) throws -> Statement { try database.prepare(text) }
        // A file of an earlier program that may only be read.
        let hasAdditions = try QueueAddition.notes.isIn(database)
        let hasSteering = try QueueAddition.steering.isIn(database)
        let names = QueueSchema.columns.joined(separator: ", ")
        let hasCampaigns = try QueueAddition.campaigns.isIn(database)
        // A file of an earlier program that may only be read knows no campaign, and nothing is added to it.
        let hasLanes = try QueueAddition.lanes.isIn(database)
        let missing: [EntryField.Name] = (hasCampaigns ? [] : [.campaign]) + (hasLanes ? [] : [.urgent])
        let columns = QueueSchema.fields.map { missing.contains($0) ? "NULL" : $0.rawValue }.joined(separator: ", ")
        let urgent = hasLanes ? "later.urgent" : "0"
        queue = try prepare("SELECT last, taken_to, entries, \(hasLanes ? "debt" : "0") FROM queues WHERE queue = ?")
        grow = try prepare(
            "UPDATE queues SET last = ?2, entries = entries + ?3, taken_to = ?4, calls = calls + 1 WHERE queue = ?1")
        moveTaken = try prepare("UPDATE queues SET taken_to = ?2 WHERE queue = ?1")
        shrink = try prepare("UPDATE queues SET entries = entries - ?2 WHERE queue = ?1")
        knownCall = try prepare("SELECT 1 FROM calls WHERE queue = ?1 AND id = ?2 AND time > ?3")
        // The slots are used in turn, so the oldest call gives way.
        rememberCall = try prepare(
            """
            REPLACE INTO calls SELECT queue, calls % \(QueueSchema.calls), ?2, ?3 FROM queues WHERE queue = ?1
            """)
        permitted = try prepare("SELECT permitted FROM queues WHERE queue = ?")
        setPermitted = try prepare("UPDATE queues SET permitted = ?2 WHERE queue = ?1")
        setDebt = try prepare(hasLanes ? "UPDATE queues SET debt = ?2 WHERE queue = ?1" : "SELECT ?1, ?2")

        maxOutcomes = try prepare("SELECT \(hasAdditions ? "max_outcomes" : "NULL") FROM queues WHERE queue = ?")
        hasHolds = try prepare(
            hasCampaigns
                ? "SELECT 1 FROM campaigns WHERE queue = ? AND hold IS NOT NULL LIMIT 1" : "SELECT 1 WHERE ? IS NULL")
        holds = try prepare(
            hasCampaigns
                ? "SELECT name, hold FROM campaigns WHERE queue = ? AND hold IS NOT NULL"
                : "SELECT NULL, NULL WHERE ? IS NULL")
        paces = try prepare(
            hasLanes
                ? "SELECT name, rate, aside, hold, charged FROM campaigns INDEXED BY campaigns_rate WHERE queue = ? AND rate IS NOT NULL"
                : "SELECT NULL WHERE ? IS NULL")
        setCharged = try prepare(
            hasLanes ? "UPDATE campaigns SET charged = ?3 WHERE queue = ?1 AND name = ?2" : "SELECT ?1, ?2, ?3")
        hasAside = try prepare(
            "SELECT 1 FROM later WHERE queue = ?1 AND \(urgent) IN (0, 1) AND due = ?2 LIMIT 1")
        steering = try prepare(
            "SELECT \(hasSteering ? "paused, rate, burst" : "0, NULL, NULL") FROM queues WHERE queue = ?")

        let places = Array(repeating: "?", count: 3 + QueueSchema.columns.count).joined(separator: ", ")
        addEntry = try prepare(
            missing.isEmpty ? "INSERT INTO entries (number, put, count, \(names)) VALUES (\(places))" : "SELECT 1")
        addLater = try prepare(
            hasLanes
                ? "INSERT INTO \(Self.later) VALUES (?1, ?2, ?3, ?4, 0, ?5, 0, ?6, \(Self.isUrgent("?1")))"
                : "SELECT ?1, ?2, ?3, ?4, ?5, ?6")
        entry = try prepare("SELECT \(columns) FROM entries WHERE number = ?")
        removeEntry = try prepare("DELETE FROM entries WHERE number = ?")
        removeEntries = try prepare("DELETE FROM entries WHERE number BETWEEN ?1 AND ?2")
        removeFresh = try prepare("DELETE FROM entries WHERE number = ?1 AND number > ?2 AND \(Self.isFresh)")
        ids = try prepare("SELECT number, id FROM entries WHERE number BETWEEN ? AND ?")

        hasUrgent = try prepare("SELECT 1 FROM later WHERE queue = ?1 AND \(urgent) = 1 AND due <= ?2 LIMIT 1")
        due = try prepare(
            """
            SELECT number, count, offered, settled, doubts, retries FROM later
            WHERE queue = ?1 AND \(urgent) = ?2 AND due >= ?3 AND due <= ?4 ORDER BY due, number
            """)
        dueWithHolds = try prepare(
            hasCampaigns
                ? """
                SELECT number, later.count, offered, settled, doubts, retries, hold, name FROM later JOIN entries USING (number)
                LEFT JOIN campaigns ON campaigns.queue = later.queue AND name = campaign
                WHERE later.queue = ?1 AND \(urgent) = ?2 AND due >= ?3 AND due <= ?4 ORDER BY due, number
                """ : "SELECT NULL WHERE ?1 + ?2 + ?3 + ?4 IS NULL")
        fresh = try prepare(
            """
            SELECT number, count, \(columns) FROM entries
            WHERE number > ?1 AND number <= ?2 AND \(Self.isFresh) ORDER BY number
            """)
        let hasPlace = ["later", "taken", "dead"].map { "SELECT 1 FROM \($0) WHERE number > ?1 AND number <= ?2" }
        hasPlaces = try prepare(hasPlace.joined(separator: " UNION ALL ") + " LIMIT 1")
        allFresh = try prepare(
            """
            SELECT number, count, \(columns) FROM entries
            WHERE number > ?1 AND number <= ?2 ORDER BY number
            """)
        takeLater = try prepare(
            """
            INSERT INTO taken SELECT number, queue, ?2, count, offered, 0, settled, doubts, retries FROM later
            WHERE number = ?1
            """)
        removeLater = try prepare("DELETE FROM later WHERE number = ?")
        // What a worker that died may have sent goes out.
        cancelLater = try prepare("DELETE FROM later WHERE number = ? AND doubts = 0 AND offered = 0")
        addTaken = try prepare(
            """
            INSERT INTO taken SELECT number, ?3, ?4, count, 0, 0, '', 0, 0 FROM entries WHERE number BETWEEN ?1 AND ?2
            """)
        // An index leads to the lowest one of each lane.
        let first = ["0", "1"].map {
            "ifnull((SELECT min(due) FROM later WHERE queue = ?1 AND \(urgent) = \($0)), \(Int64.max))"
        }
        nextDue = try prepare("SELECT nullif(min(\(first.joined(separator: ", "))), \(Int64.max))")

        taken = try prepare("SELECT worker, count, settled, offered, doubts, retries FROM taken WHERE number = ?")
        takenByWorker = try prepare("SELECT number FROM taken WHERE worker = ?1 ORDER BY number LIMIT ?2")
        setSettled = try prepare("UPDATE taken SET settled = ?2 WHERE number = ?1")
        setLaterSettled = try prepare("UPDATE later SET settled = ?2 WHERE number = ?1")
        setOffering = try prepare("UPDATE taken SET offering = max(offering, ?3) WHERE number = ?1 AND worker = ?2")
        later = try prepare("SELECT count, settled FROM later WHERE number = ?")
        removeTaken = try prepare("DELETE FROM taken WHERE number = ?")
        let lane = hasLanes ? ", \(Self.isUrgent("taken.number"))" : ""
        leaveWhole = try prepare(
            "DELETE FROM taken WHERE number BETWEEN ?1 AND ?2 AND worker = ?3 AND count = ?4 AND settled = ''")
        wholeCount = try prepare(
            """
            SELECT count(*) FROM taken
            WHERE number BETWEEN ?1 AND ?2 AND worker = ?3 AND count = ?4 AND settled = ''
            """)
        release = try prepare(
            """
            INSERT INTO \(hasLanes ? Self.later : "later")
            SELECT number, queue, 0, count, offered, settled, doubts, retries\(lane) FROM taken
            WHERE number = ?1 AND worker = ?2
            """)
        // A small entry that was taken may have been sent as a whole.
        let whole = "CASE WHEN count <= \(TakenEntry.wholeOffer) THEN count ELSE 0 END"
        let offered = "max(offered, offering, \(whole))"
        reclaim = try prepare(
            """
            UPDATE taken SET worker = ?2, offered = \(offered), doubts = doubts + (\(offered) > 0), offering = 0
            WHERE number = ?1
            """)

        worker = try prepare("SELECT worker, counter FROM workers WHERE queue = ?1 AND name = ?2")
        addWorker = try prepare("INSERT INTO workers (queue, name, counter) VALUES (?, ?, 0)")
        beat = try prepare(
            """
            INSERT INTO workers (queue, name, counter, beat) VALUES (?1, ?2, 1, ?3)
            ON CONFLICT (queue, name) DO UPDATE SET counter = counter + 1, beat = ?3
            """)
        counters = try prepare("SELECT name, counter FROM workers WHERE queue = ?")
        leave = try prepare(
            """
            DELETE FROM workers WHERE queue = ?1 AND name = ?2
            AND NOT EXISTS (SELECT 1 FROM taken WHERE taken.worker = workers.worker)
            """)

        addDead = try prepare("INSERT INTO dead VALUES (?, ?, ?, ?, ?, ?)")
        dead = try prepare("SELECT number, reason FROM dead WHERE queue = ?1 ORDER BY died, number LIMIT ?2")
        removeDead = try prepare("DELETE FROM dead WHERE number = ?")
        deadEntry = try prepare("SELECT count, settled FROM dead WHERE number = ?")
        oldestDead = try prepare("SELECT number FROM dead WHERE queue = ?1 ORDER BY died, number LIMIT ?2")
        deadCount = try prepare("SELECT count(*) FROM dead WHERE queue = ?")

        addOutcomes = try prepare(
            hasAdditions
                ? "INSERT INTO outcomes (queue, list, count, rows, stored) VALUES (?, ?, ?, ?, ?)"
                : "INSERT INTO outcomes (queue, list, count, rows) VALUES (?, ?, ?, ?)")
        addToList = try prepare(
            "UPDATE lists SET count = count + ?3, last = ?4, last_rows = ?5 WHERE queue = ?1 AND list = ?2")
        list = try prepare(
            "SELECT count, cut, read_to, read_rows, last, last_rows FROM lists WHERE queue = ?1 AND list = ?2")
        outcomes = try prepare(
            "SELECT number, count, rows FROM outcomes WHERE queue = ?1 AND list = ?2 AND number >= ?3 ORDER BY number")
        oldestOutcomes = try prepare(
            """
            SELECT number, count, \(hasAdditions ? "stored" : "NULL") FROM outcomes WHERE queue = ?1 AND list = ?2
            ORDER BY number LIMIT 1
            """)
        removeOutcomes = try prepare("DELETE FROM outcomes WHERE number = ?")
        cutList = try prepare("UPDATE lists SET count = count - ?3, cut = cut + ?4 WHERE queue = ?1 AND list = ?2")
        readTo = try prepare("UPDATE lists SET read_to = ?3, read_rows = ?4 WHERE queue = ?1 AND list = ?2")

        // What waits for the rate of its campaign counts as waiting.
        let waits = "due <= ?2 OR due > \(QueueSchema.latest) AND due < \(QueueSchema.paused)"
        waitingLater = try prepare(
            """
            SELECT count(*), count(*) FILTER (WHERE \(waits)), count(*) FILTER (WHERE (\(waits)) AND \(urgent) = 1)
            FROM later WHERE queue = ?1
            """)
        workers = try prepare(
            "SELECT worker, name, beat, \(hasAdditions ? "note" : "NULL") FROM workers WHERE queue = ?")
        takenCounts = try prepare("SELECT worker, count(*) FROM taken WHERE queue = ? GROUP BY worker")
        firstPut = try prepare(
            """
            SELECT put FROM entries WHERE number > ?1 AND number <= ?2 AND \(Self.isFresh) ORDER BY number LIMIT 1
            """)
        firstLaterPut = try prepare(
            """
            SELECT min(put) FROM later JOIN entries USING (number)
            WHERE queue = ?1 AND \(urgent) IN (0, 1) AND (\(waits))
            """)
    }
}
