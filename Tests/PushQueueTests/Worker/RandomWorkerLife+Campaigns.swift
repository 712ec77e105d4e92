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

    /// Pauses a campaign, lets it go on, sets its rate, or cancels it, at random.
    mutating func steerCampaign() {
        guard let name = Self.names.randomElement(using: &chance) else { return }
        let rate = roll(3) ? nil : QueueRate(perSecond: Double(Int.random(in: 1...50, using: &chance)))
        let order: CampaignOrder = roll(8) ? .cancel : roll(3) ? .rate(rate) : roll(2) ? .pause : .resume
        guard (try? store.steer(order, campaign: name, wall)) != nil else { return }
        let word = if case .rate = order { "rate" } else { "\(order)" }
        counts["campaign \(word)", default: 0] += 1
    }

    mutating func resumeCampaigns() {
        for name in Self.names {
            for order in [CampaignOrder.resume, .rate(nil)] { _ = try? store.steer(order, campaign: name, wall) }
        }
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
