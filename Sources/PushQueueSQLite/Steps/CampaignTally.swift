import PushQueue
import SupervisedPush

/// The outcomes that one call stores, for each campaign.
struct CampaignTally {
    private(set) var campaigns: [CampaignName: CampaignOutcomes] = [:]

    mutating func add(_ row: QueueOutcome, of campaign: CampaignName?) {
        if let campaign { campaigns[campaign, default: CampaignOutcomes()].add(row.outcome) }
    }

    mutating func addCancelled(_ tokens: Int, of campaign: CampaignName) {
        campaigns[campaign, default: CampaignOutcomes()].add(tokens, as: "cancelled")
    }
}
