import FoundationEssentials

/// The rates of campaigns of a queue in memory.
extension MemoryEntries {
    /// In how many nanoseconds it is worth asking the rate of an entry's campaign again; 0 if it permits a token, or there is none.
    private func wait(_ number: UInt64, _ charges: [CampaignName: Int64], _ now: Date) -> Int64 {
        guard campaigns.hasRates, let campaign = campaign(of: number), let rate = campaign.rate else { return 0 }
        return rate.wait(stored: charges[campaign.name] ?? 0, now: Self.nanoseconds(now))
    }

    func isOverRate(_ number: UInt64, _ charges: [CampaignName: Int64], _ now: Date) -> Bool {
        wait(number, charges, now) > 0
    }

    /// Charges an entry that is taken to the rate of its campaign, if that has one.
    func charge(_ number: UInt64, _ charges: inout [CampaignName: Int64], _ now: Date) {
        guard campaigns.hasRates, let campaign = campaign(of: number), let rate = campaign.rate else { return }
        let tokens = stored[number]?.openCount ?? 0
        rate.charge(tokens, stored: &charges[campaign.name, default: 0], now: Self.nanoseconds(now))
    }

    /// Bounds what is charged to a campaign that gets a rate, or forgets it.
    mutating func boundCharge(of name: CampaignName, newRate rate: QueueRate?, _ now: Date) {
        guard rate != campaigns[name]?.rate else { return }
        charged[name] = rate?.bounded(charged[name] ?? 0, isNew: true, now: Self.nanoseconds(now))
    }

    /// Bounds what is charged, as after a change of the clock.
    mutating func boundCharges(_ now: Date) {
        for (name, stored) in charged {
            charged[name] = campaigns[name]?.rate?.bounded(stored, now: Self.nanoseconds(now))
        }
    }

    /// When it is worth looking again at what waits for the rates of campaigns.
    func nextAtRate(_ now: Date) -> Date? {
        guard campaigns.hasRates else { return nil }
        let waits = allWaiting.filter { !isPaused($0) }.map { wait($0, charged, now) }
        // In whole milliseconds, as the clock of the queue.
        return waits.min().map { now + (Double($0) / 1_000_000).rounded(.up) / 1_000 }
    }
}
