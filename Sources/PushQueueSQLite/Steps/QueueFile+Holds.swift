import PushQueue
import PushSQLite

/// Orders to campaigns. What waits of one that is paused or has a rate is among what is delayed, so that taking passes over
/// nothing.
extension QueueFile {
    func steer(_ order: CampaignOrder, campaign name: CampaignName) throws -> QueueCampaign {
        try database.atomically {
            guard var campaign = try campaign(name) else { throw QueueCampaign.unknown(name) }
            let (aside, rateBefore) = (try aside(name), campaign.rate)
            try campaign.obey(order)
            try keep(campaign)
            if campaign.rate == nil, let aside { try endRate(of: name, aside, isPaused: campaign.hold == .paused) }
            switch order {
            case .pause: try putAside(name, until: QueueSchema.paused)
            case .resume: try unpark(name)
            case .cancel:
                try unpark(name)
                try drop(name)
            case .rate(let rate):
                if let rate, rate != rateBefore { try beginRate(rate, of: name) }
                if campaign.hold == nil, let aside = try self.aside(name) { try putAside(name, until: aside) }
            }
            return campaign
        }
    }

    /// The campaigns of which nothing is taken, by their names.
    func holds() throws -> [String: QueueCampaign.Hold] {
        try sql.holds.bind(1, queue)
        defer { sql.holds.reset() }
        var holds: [String: QueueCampaign.Hold] = [:]
        while try sql.holds.step() { holds[sql.holds.string(0)] = QueueCampaign.Hold(rawValue: sql.holds.string(1)) }
        return holds
    }

    func holds(of names: Set<CampaignName>) throws -> [CampaignName: QueueCampaign.Hold] {
        try database.reading {
            let holds = try hasHolds() ? holds() : [:]
            return Dictionary(
                uniqueKeysWithValues: names.compactMap { name in holds[name.description].map { (name, $0) } })
        }
    }

    /// Whether there is such a campaign.
    func hasHolds() throws -> Bool {
        try sql.hasHolds.bind(1, queue)
        defer { sql.hasHolds.reset() }
        return try sql.hasHolds.step()
    }

    /// Holds back what came back to the queue meanwhile: it was released or postponed, or is a dead letter that was put back.
    func holdBack(_ entry: HeldEntry) throws {
        if let due = entry.due {
            let park = try database.prepare("UPDATE later SET due = ?2 WHERE number = ?1")
            return try park.run(entry.number, due)
        }
        try sql.removeLater.run(entry.number)
        try sql.removeEntry.run(entry.number)
        try sql.shrink.run(queue, 1)
        try countCancelled(entry.tokens, of: entry.campaign)
    }

    private static let isOfCampaign = "(SELECT campaign FROM entries WHERE entries.number = later.number) = ?2"

    /// Puts aside what of a campaign can be taken now.
    private func putAside(_ name: CampaignName, until aside: Int64) throws {
        let fresh = try database.prepare(
            """
            INSERT INTO \(QueueStatements.later)
            SELECT number, ?1, \(aside), count, 0, '', 0, 0, 0 FROM entries
            WHERE number > ?3 AND number <= ?4 AND campaign = ?2 AND \(QueueStatements.isFresh)
            """)
        try fresh.bind(3, try counters().takenTo)
        try fresh.bind(4, highest)
        try run(fresh, with: name.description)
        let due = try database.prepare(
            "UPDATE later SET due = \(aside) WHERE queue = ?1 AND due <= ?3 AND \(Self.isOfCampaign)")
        try due.bind(3, now())
        try run(due, with: name.description)
    }

    private func unpark(_ name: CampaignName) throws {
        let due = try aside(name) ?? 0
        let parked = try database.prepare(
            "UPDATE later SET due = \(due) WHERE queue = ?1 AND due = \(QueueSchema.paused) AND \(Self.isOfCampaign)")
        try run(parked, with: name.description)
    }

    /// Removes what waits and is not in doubt, and counts its tokens.
    private func drop(_ name: CampaignName) throws {
        // First: without its place in `later`, an entry looks fresh.
        let fresh = try database.prepare(
            """
            SELECT number, count, '' FROM entries
            WHERE number > ?3 AND number <= ?4 AND number >> \(QueueSchema.sequenceBits) = ?1 AND campaign = ?2
            AND \(QueueStatements.isFresh)
            """)
        try fresh.bind(3, try counters().takenTo)
        try fresh.bind(4, highest)
        let never = try open(fresh, name)
        let later = try database.prepare(
            """
            SELECT number, count, settled FROM later
            WHERE queue = ?1 AND doubts = 0 AND offered = 0 AND \(Self.isOfCampaign)
            """)
        let waiting = try open(later, name)
        for number in waiting.numbers { try sql.removeLater.run(number) }
        let numbers = never.numbers + waiting.numbers
        for number in numbers { try sql.removeEntry.run(number) }
        if !numbers.isEmpty { try sql.shrink.run(queue, Int64(numbers.count)) }
        try countCancelled(never.tokens + waiting.tokens, of: name.description)
    }

    /// The numbers of entries, and how many tokens without an outcome they have.
    private func open(_ select: Statement, _ name: CampaignName) throws -> (numbers: [Int64], tokens: Int) {
        try select.bind(1, queue)
        try select.bind(2, name.description)
        defer { select.reset() }
        var (numbers, tokens): ([Int64], Int) = ([], 0)
        while try select.step() {
            numbers.append(select.integer(0))
            tokens += Self.open(select.int(1), settled: select.string(2))
        }
        return (numbers, tokens)
    }

    /// Counts tokens of a campaign that the queue keeps as cancelled.
    func countCancelled(_ tokens: Int, of name: String) throws {
        guard tokens > 0, let name = try? CampaignName(name) else { return }
        var tally = CampaignTally()
        tally.addCancelled(tokens, of: name)
        try store(tally)
    }
}
