import PushQueue

extension RedisQueue {
    /// Pauses a campaign, lets it go on, or cancels it. The order is one step; from then on nothing of the campaign is taken.
    /// What waited then comes back, or is removed, in pages.
    @discardableResult
    public func steer(_ order: CampaignOrder, campaign: CampaignName) async throws(QueueError) -> QueueCampaign {
        for _ in 0..<Self.tries {
            let old = try await run(.campaign, texts: [campaign.description]).text ?? ""
            guard !old.isEmpty else { throw QueueCampaign.unknown(campaign) }
            var kept = try QueueCampaign(text: old)
            try kept.obey(order)
            guard try await keep(kept, insteadOf: old) else { continue }
            if order != .pause { try await unpark() }
            if order == .cancel { try await remove(campaign) }
            return kept
        }
        throw Self.isContended(campaign)
    }

    /// Ends the wait of what was put aside because its campaign was paused. What is paused still is put aside again when it
    /// is met.
    private func unpark() async throws(QueueError) {
        var last = ""
        while true {
            let reply = try await run(.unpark, texts: ["1000", last])
            guard reply[0].number ?? 0 > 0 else { return }
            last = reply[1].text ?? ""
        }
    }

    /// Removes what waits of a campaign. What is missed because it moves meanwhile is removed when it is met.
    private func remove(_ campaign: CampaignName) async throws(QueueError) {
        for part in ["later", "new", "pending"] {
            var position = ""
            repeat {
                position = try await run(.cancel, texts: [part, position, "500", campaign.description])[0].text ?? ""
            } while !position.isEmpty
        }
    }
}
