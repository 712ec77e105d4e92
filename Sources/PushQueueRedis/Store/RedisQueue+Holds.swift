import PushQueue

extension RedisQueue {
    /// Why nothing of these campaigns is taken, in one script.
    public func holds(
        of campaigns: Set<CampaignName>
    ) async throws(QueueError) -> [CampaignName: QueueCampaign.Hold] {
        let names = Array(campaigns.prefix(QueueCampaign.most))
        let words = try await run(.holds, texts: names.map(\.description)).elements
        let holds = zip(names, words).compactMap { name, word in
            word.text.flatMap(QueueCampaign.Hold.init(rawValue:)).map { (name, $0) }
        }
        return Dictionary(uniqueKeysWithValues: holds)
    }

    /// Pauses a campaign, lets it go on, sets its rate, or cancels it. The order is one step; from then on nothing of the campaign is taken.
    /// What waited then comes back, or is removed, in pages.
    @discardableResult
    public func steer(_ order: CampaignOrder, campaign: CampaignName) async throws(QueueError) -> QueueCampaign {
        for _ in 0..<Self.tries {
            let old = try await run(.campaign, texts: [campaign.description]).text ?? ""
            guard !old.isEmpty else { throw QueueCampaign.unknown(campaign) }
            var kept = try QueueCampaign(text: old)
            try kept.obey(order)
            guard try await keep(kept, insteadOf: old) else { continue }
            switch order {
            case .pause, .rate: break
            case .resume: try await unpark()
            case .cancel:
                try await unpark()
                try await remove(campaign)
            }
            return kept
        }
        throw Self.isContended(campaign)
    }

    /// Ends the wait of what was put aside because its campaign was paused. If this process dies on the way, the heartbeats of
    /// workers go on.
    private func unpark() async throws(QueueError) {
        while try await run(.unpark, texts: ["1000"]).number ?? 0 > 0 {}
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
