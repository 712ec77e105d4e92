import FoundationEssentials
import PushQueue
import PushSQLite
import SupervisedPush

/// The search for a device token. It is rare, so its statements are not kept.
extension QueueFile {
    func find(_ token: DeviceToken, limit: Int) throws -> [FoundEntry] {
        try database.reading {
            let select = try database.prepare(
                """
                SELECT number FROM entries WHERE number >> \(QueueSchema.sequenceBits) = ?1
                AND instr(lower(CAST(tokens AS TEXT)), ?2) > 0 ORDER BY number
                """)
            try select.bind(1, queue)
            try select.bind(2, token.hex.lowercased())
            defer { select.reset() }
            var found: [FoundEntry] = []
            while found.count < limit, try select.step() {
                let number = select.integer(0)
                let entry = ReadEntry(number: number, fields: try fields(of: number)).decoded
                let (place, settled) = try place(of: number)
                let tokens = TokenSet(settled) ?? TokenSet()
                if let entry = FoundEntry(token, in: entry, settled: tokens, place: place) { found.append(entry) }
            }
            return found
        }
    }

    /// Where an entry is, and which of its tokens have an outcome.
    private func place(of number: Int64) throws -> (FoundEntry.Place, settled: String) {
        let taken = try database.prepare(
            "SELECT name, settled FROM taken LEFT JOIN workers USING (worker) WHERE number = ?")
        try taken.bind(1, number)
        if try taken.step() { return (.taken(by: WorkerID(taken.string(0))), taken.string(1)) }
        let later = try database.prepare("SELECT due, retries, settled FROM later WHERE number = ?")
        try later.bind(1, number)
        if try later.step() {
            let due = later.integer(0)
            if due <= now() || due > QueueSchema.latest { return (.waiting, later.string(2)) }
            let date = Date(timeIntervalSince1970: Double(due) / 1_000)
            return (later.int(1) > 0 ? .retrying(until: date) : .scheduled(until: date), later.string(2))
        }
        let dead = try database.prepare("SELECT reason, settled FROM dead WHERE number = ?")
        try dead.bind(1, number)
        return try dead.step() ? (.dead(dead.string(0)), dead.string(1)) : (.waiting, "")
    }
}
