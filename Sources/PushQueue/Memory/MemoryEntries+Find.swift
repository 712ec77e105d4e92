import FoundationEssentials
import SupervisedPush

extension MemoryEntries {
    func find(_ token: DeviceToken, limit: Int, _ now: Date) -> [FoundEntry] {
        var found: [FoundEntry] = []
        for number in stored.keys.sorted() where found.count < max(1, limit) {
            guard let entry = stored[number] else { continue }
            var settled = entry.settled
            // Their outcome is that the entry is dead.
            for index in 0..<entry.count where entry.endedByDeath.contains(index) { settled.remove(index) }
            let place: FoundEntry.Place =
                switch entry.place {
                case .waiting: .waiting
                case .delayed(let date) where date <= now: .waiting
                case .delayed(let date): entry.retries > 0 ? .retrying(until: date) : .scheduled(until: date)
                case .taken(let worker): .taken(by: worker)
                case .dead(let reason): .dead(reason)
                }
            if let entry = FoundEntry(token, in: entry.entry, settled: settled, place: place) { found.append(entry) }
        }
        return found
    }
}
