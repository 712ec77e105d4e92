import FoundationEssentials
import PushQueue
import PushSQLite

/// What a queue keeps of its campaigns. Its calls are rare, so their statements are not kept.
extension QueueFile {
    /// Begins a campaign, or finds how much of it is in the queue.
    func begin(_ name: CampaignName, with input: CampaignInput) throws -> CampaignPlace {
        try database.atomically {
            var ledger = CampaignLedger()
            let before = try campaigns()
            for campaign in before { ledger[campaign.name] = campaign }
            let place = try ledger.begin(name, input, at: date)
            for old in before where ledger[old.name] == nil { try forget(old.name) }
            if let campaign = ledger[name] { try keep(campaign) }
            return place
        }
    }

    /// Adds the entries of a batch, and notes that they are put.
    func add(_ entries: [StoredEntry], of batch: CampaignBatch, _ originals: [QueueEntry]) throws {
        try database.atomically {
            guard var campaign = try campaign(batch.place.campaign) else {
                throw QueueCampaign.unknown(batch.place.campaign)
            }
            guard try campaign.add(batch, originals) else { return }
            if !entries.isEmpty { try append(entries) }
            try keep(campaign)
        }
    }

    /// The campaigns, the oldest first; none in a file of an earlier program that may only be read.
    func campaigns() throws -> [QueueCampaign] {
        guard try QueueAddition.campaigns.isIn(database) else { return [] }
        let select = try database.prepare("SELECT record FROM campaigns WHERE queue = ?")
        try select.bind(1, queue)
        var ledger = CampaignLedger()
        for text in try select.strings() {
            let campaign = try QueueCampaign(text: text)
            ledger[campaign.name] = campaign
        }
        return ledger.all
    }

    func campaign(_ name: CampaignName) throws -> QueueCampaign? {
        let select = try database.prepare("SELECT record FROM campaigns WHERE queue = ?1 AND name = ?2")
        try select.bind(1, queue)
        try select.bind(2, name.description)
        return try select.strings().first.map { text in try QueueCampaign(text: text) }
    }

    func keep(_ campaign: QueueCampaign) throws {
        let insert = try database.prepare(
            """
            INSERT INTO campaigns (queue, name, record, hold, rate) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (queue, name) DO UPDATE SET record = ?3, hold = ?4, rate = ?5
            """)
        try insert.bind(3, campaign.text)
        try insert.bind(4, campaign.hold?.rawValue)
        try insert.bind(5, campaign.rate.map(Self.text))
        try run(insert, with: campaign.name.description)
    }

    private func forget(_ name: CampaignName) throws {
        for table in ["campaigns", "campaign_outcomes"] {
            let delete = try database.prepare("DELETE FROM \(table) WHERE queue = ?1 AND name = ?2")
            try run(delete, with: name.description)
        }
    }

    private var date: Date { Date(timeIntervalSince1970: TimeInterval(now()) / 1_000) }
}
