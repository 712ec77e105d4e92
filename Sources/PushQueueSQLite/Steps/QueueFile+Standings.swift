import PushQueue
import PushSQLite

/// How campaigns stand. Its calls are rare, so their statements are not kept.
extension QueueFile {
    /// Adds outcomes to those of their campaigns; not of campaigns that the queue does not keep.
    func store(_ tally: CampaignTally) throws {
        guard !tally.campaigns.isEmpty else { return }
        let add = try database.prepare(
            """
            INSERT INTO campaign_outcomes SELECT queue, name, ?3, ?4 FROM campaigns WHERE queue = ?1 AND name = ?2
            ON CONFLICT (queue, name, word) DO UPDATE SET count = count + ?4
            """)
        for (name, outcomes) in tally.campaigns {
            for (word, count) in outcomes.words {
                try add.bind(3, word)
                try add.bind(4, Int64(count))
                try run(add, with: name.description)
            }
        }
    }

    /// How the campaigns stand, the oldest first.
    func standings() throws -> [CampaignStanding] {
        try database.reading {
            let campaigns = try campaigns()
            guard !campaigns.isEmpty else { return [] }
            let (places, outcomes) = (try campaignPlaces(), try campaignOutcomes())
            return campaigns.map {
                let name = $0.name.description
                return CampaignStanding(
                    $0, places: places[name] ?? CampaignPlaces(), outcomes: outcomes[name] ?? CampaignOutcomes())
            }
        }
    }

    private func campaignOutcomes() throws -> [String: CampaignOutcomes] {
        let select = try database.prepare("SELECT name, word, count FROM campaign_outcomes WHERE queue = ?")
        try select.bind(1, queue)
        var outcomes: [String: CampaignOutcomes] = [:]
        while try select.step() {
            outcomes[select.string(0), default: CampaignOutcomes()].add(select.int(2), as: select.string(1))
        }
        return outcomes
    }

    /// Where the open tokens of campaigns are, by the names of the campaigns.
    private func campaignPlaces() throws -> [String: CampaignPlaces] {
        var places: [String: CampaignPlaces] = [:]
        let fresh = try database.prepare(
            """
            SELECT campaign, sum(count) FROM entries
            WHERE number > ?1 AND number <= ?2 AND campaign IS NOT NULL AND \(QueueStatements.isFresh) GROUP BY campaign
            """)
        try fresh.bind(1, max(try counters().takenTo, passed))
        try fresh.bind(2, highest)
        while try fresh.step() { places[fresh.string(0), default: CampaignPlaces()].waiting += fresh.int(1) }
        let later = try database.prepare(
            """
            SELECT campaign, later.count, settled, due, retries FROM later JOIN entries USING (number)
            WHERE queue = ? AND campaign IS NOT NULL
            """)
        try later.bind(1, queue)
        while try later.step() {
            let open = Self.open(later.int(1), settled: later.string(2))
            // What waits for the end of a pause, or for a rate, could be taken otherwise.
            let isDue = later.integer(3) <= now() || later.integer(3) > QueueSchema.latest
            places[later.string(0), default: CampaignPlaces()].add(open, isDue: isDue, retries: later.int(4))
        }
        let taken = try database.prepare(
            """
            SELECT campaign, taken.count, settled FROM taken JOIN entries USING (number)
            WHERE queue = ? AND campaign IS NOT NULL
            """)
        try taken.bind(1, queue)
        while try taken.step() {
            let open = Self.open(taken.int(1), settled: taken.string(2))
            places[taken.string(0), default: CampaignPlaces()].taken += open
        }
        return places
    }
}
