import FoundationEssentials

/// The campaigns of a queue in memory.
extension MemoryEntries {
    mutating func begin(
        _ name: CampaignName, _ input: CampaignInput, _ now: Date
    ) throws(QueueError) -> CampaignPlace {
        let place = try campaigns.begin(name, input, at: now)
        campaignOutcomes = campaignOutcomes.filter { campaigns[$0.key] != nil }
        return place
    }

    mutating func enqueue(_ entries: [QueueEntry], as batch: CampaignBatch, _ now: Date) throws(QueueError) {
        guard var campaign = campaigns[batch.place.campaign] else {
            throw QueueCampaign.unknown(batch.place.campaign)
        }
        guard try campaign.add(batch, entries) else { return }
        try add(batch.marked(entries).map(Result.success), now)
        campaigns[campaign.name] = campaign
    }

    mutating func steer(
        _ order: CampaignOrder, campaign name: CampaignName, _ now: Date
    ) throws(QueueError) -> QueueCampaign {
        guard var campaign = campaigns[name] else { throw QueueCampaign.unknown(name) }
        try campaign.obey(order)
        boundCharge(of: name, newRate: campaign.rate, now)
        campaigns[name] = campaign
        dropCancelled(delayedToo: true)
        return campaign
    }

    func holds(of names: Set<CampaignName>) -> [CampaignName: QueueCampaign.Hold] {
        var holds: [CampaignName: QueueCampaign.Hold] = [:]
        for name in names { holds[name] = campaigns[name]?.hold }
        return holds
    }

    func campaign(of number: UInt64) -> QueueCampaign? {
        (try? stored[number]?.entry.get())?.campaign.flatMap { campaigns[$0] }
    }

    func hold(of number: UInt64) -> QueueCampaign.Hold? { campaign(of: number)?.hold }

    func isPaused(_ number: UInt64) -> Bool { campaigns.hasPauses && hold(of: number) == .paused }

    /// Whether what a dead worker had stays in the queue because of its campaign, or leaves it.
    func keepsBack(_ number: UInt64) -> Bool {
        isPaused(number)
            || (campaigns.hasCancellations && hold(of: number) == .cancelled && stored[number]?.isInDoubt == false)
    }

    /// Removes entries of cancelled campaigns that are not in doubt.
    mutating func dropCancelled(delayedToo: Bool = false) {
        guard campaigns.hasCancellations else { return }
        for number in allWaiting + (delayedToo ? delayed.sorted() : []) {
            if hold(of: number) == .cancelled, stored[number]?.isInDoubt == false { takeOut(number) }
        }
        forgetTakenOut()
    }

    /// Removes an entry that waits or is delayed, and counts its open tokens as cancelled. ``forgetTakenOut()`` follows.
    mutating func takeOut(_ number: UInt64) {
        guard let entry = stored.removeValue(forKey: number) else { return }
        delayed.remove(number)
        if let name = (try? entry.entry.get())?.campaign, campaigns[name] != nil {
            campaignOutcomes[name, default: CampaignOutcomes()].add(entry.count - entry.settled.count, as: "cancelled")
        }
    }

    mutating func forgetTakenOut() {
        urgent.removeAll { stored[$0] == nil }
        ordinary.removeAll { stored[$0] == nil }
    }

    func standings(_ now: Date) -> [CampaignStanding] {
        var places: [CampaignName: CampaignPlaces] = [:]
        for entry in stored.values {
            guard let name = (try? entry.entry.get())?.campaign else { continue }
            let open = entry.count - entry.settled.count
            switch entry.place {
            case .waiting: places[name, default: CampaignPlaces()].waiting += open
            case .delayed(let time):
                places[name, default: CampaignPlaces()].add(open, isDue: time <= now, retries: entry.retries)
            case .taken: places[name, default: CampaignPlaces()].taken += open
            case .dead: break
            }
        }
        return campaigns.all.map {
            CampaignStanding(
                $0, places: places[$0.name] ?? CampaignPlaces(),
                outcomes: campaignOutcomes[$0.name] ?? CampaignOutcomes())
        }
    }
}
