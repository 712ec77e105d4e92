import FoundationEssentials

/// How the campaigns of a queue in memory stand.
extension MemoryEntries {
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
