import Foundation

@testable import PushQueue

/// Campaigns in a random life.
extension RandomWorkerLife {
    private static let names = ["spring", "autumn"].compactMap { try? CampaignName($0) }

    /// Puts an entry in, half of them as a part of a campaign.
    mutating func put(_ entry: QueueEntry) throws {
        guard hasCampaigns, roll(2), let name = Self.names.randomElement(using: &chance),
            let place = try? store.begin(name, CampaignInput(records: "aa", author: "anna"), wall)
        else { return try store.enqueue([.success(entry)], wall) }
        let batch = CampaignBatch(after: place, through: place.line + 1, isLast: false)
        try store.enqueue([entry], as: batch, wall)
    }

    /// Pauses a campaign, lets it go on, or cancels it, at random.
    mutating func steerCampaign() {
        guard let name = Self.names.randomElement(using: &chance) else { return }
        let order: CampaignOrder = roll(8) ? .cancel : roll(2) ? .pause : .resume
        if (try? store.steer(order, campaign: name)) != nil { counts["campaign \(order)", default: 0] += 1 }
    }

    mutating func resumeCampaigns() {
        for name in Self.names { _ = try? store.steer(.resume, campaign: name) }
    }

    /// How many tokens ended without an outcome, because their campaign was cancelled.
    var cancelled: Int { store.campaignOutcomes.values.reduce(0) { $0 + $1.cancelled } }
}

extension WorkerMachine {
    /// Why nothing more of an entry is pushed, as far as the worker knows.
    func hold(of key: Key) -> QueueCampaign.Hold? {
        var entries = entries
        return entries[key]?.hold
    }
}
