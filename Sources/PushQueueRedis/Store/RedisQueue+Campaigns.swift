import FoundationEssentials
import PushQueue

/// What a queue keeps of its campaigns. The rules are those of `QueueCampaign`; a script stores what they make of what was
/// read, if it is still the same.
extension RedisQueue {
    /// How often another process may come in between.
    static let tries = 10

    /// Begins a campaign, or finds how much of it is in the queue.
    public func begin(
        _ campaign: CampaignName, with input: CampaignInput
    ) async throws(QueueError) -> CampaignPlace {
        for _ in 0..<Self.tries {
            var ledger = CampaignLedger()
            let before = try await campaignTexts()
            for (name, text) in before where !name.contains(" ") {
                let stored = try QueueCampaign(text: text)
                ledger[stored.name] = stored
            }
            let all = ledger.all
            let place = try ledger.begin(campaign, input, at: Date())
            let forgotten = all.first { ledger[$0.name] == nil }.map { $0.name.description }
            let old = before[campaign.description] ?? ""
            if old == ledger[campaign]?.text { return place }
            let other = forgotten.map { (name: $0, text: before[$0] ?? "") }
            guard try await keep(ledger[campaign], insteadOf: old, forgetting: other) else { continue }
            return place
        }
        throw Self.isContended(campaign)
    }

    /// Adds the entries of a batch of a campaign, in one script.
    public func enqueue(_ entries: [QueueEntry], as batch: CampaignBatch) async throws(QueueError) {
        let name = batch.place.campaign
        for _ in 0..<Self.tries {
            let old = try await run(.campaign, texts: [name.description]).text ?? ""
            guard !old.isEmpty else { throw QueueCampaign.unknown(name) }
            var campaign = try QueueCampaign(text: old)
            guard try campaign.add(batch, entries) else {
                // The replicas must have it, too.
                if !replication.isEmpty { _ = try await keep(campaign, insteadOf: old) }
                return
            }
            let arguments = try enqueueArguments(
                batch.marked(entries), call: [], campaign: [name.description, old, campaign.text])
            let (reply, following) = try await run(.enqueue, with: arguments, then: replication)
            switch reply.number {
            case 1: return try checkReplicas(following)
            case 2: continue
            default: throw isFull(for: entries)
            }
        }
        throw Self.isContended(name)
    }

    /// How the campaigns stand. Where their tokens are is counted in pages of all entries: a million take the server seconds,
    /// in which it answers others between two pages.
    public func campaigns() async throws(QueueError) -> [CampaignStanding] {
        let texts = try await campaignTexts()
        guard !texts.isEmpty else { return [] }
        let places = try await campaignPlaces()
        var ledger = CampaignLedger()
        var outcomes: [String: CampaignOutcomes] = [:]
        for (name, text) in texts {
            let words = name.split(separator: " ")
            if words.count == 2 {
                outcomes[String(words[0]), default: CampaignOutcomes()].add(Int(text) ?? 0, as: String(words[1]))
            } else {
                let campaign = try QueueCampaign(text: text)
                ledger[campaign.name] = campaign
            }
        }
        return ledger.all.map {
            let name = $0.name.description
            return CampaignStanding(
                $0, places: places[name] ?? CampaignPlaces(), outcomes: outcomes[name] ?? CampaignOutcomes())
        }
    }

    /// The open tokens of campaigns, by the names of the campaigns.
    private func campaignPlaces() async throws(QueueError) -> [String: CampaignPlaces] {
        var places: [String: CampaignPlaces] = [:]
        for part in ["later", "new", "pending"] {
            var position = ""
            repeat {
                let reply = try await run(.campaignPlaces, texts: [part, position, "500"])
                let found = reply[1].elements
                for index in stride(from: 0, to: found.count - 2, by: 3) {
                    guard let name = found[index].text, let place = found[index + 1].text else { continue }
                    places[name, default: CampaignPlaces()].add(found[index + 2].number ?? 0, in: place)
                }
                position = reply[0].text ?? ""
            } while !position.isEmpty
        }
        return places
    }

    /// The texts of campaigns by their names, and the numbers of their outcomes by a name and a word.
    private func campaignTexts() async throws(QueueError) -> [String: String] {
        try await run(.campaigns, with: []).pairs.compactMapValues(\.text)
    }

    /// Stores what is kept of a campaign; false if something else is stored by now than `old`, or of the one that is forgotten.
    func keep(
        _ campaign: QueueCampaign?, insteadOf old: String, forgetting forgotten: (name: String, text: String)? = nil
    ) async throws(QueueError) -> Bool {
        guard let campaign else { return true }
        let rate = campaign.rate.map { "\($0.nanosecondsPerToken) \($0.burst)" } ?? ""
        let words = [
            campaign.name.description, old, campaign.text, forgotten?.name ?? "", campaign.hold?.rawValue ?? "", rate,
            forgotten?.text ?? "",
        ]
        let (reply, following) = try await run(.keepCampaign, with: words.map { Array($0.utf8) }, then: replication)
        guard reply.number == 1 else { return false }
        try checkReplicas(following)
        return true
    }

    static func isContended(_ name: CampaignName) -> QueueError {
        QueueError(
            .unreachable,
            "Other processes change the campaign \(name) all the time. Let one of them put it, and try again.")
    }
}

extension CampaignPlaces {
    /// - Parameter place: The word of the script.
    fileprivate mutating func add(_ tokens: Int, in place: String) {
        switch place {
        case "waiting": waiting += tokens
        case "scheduled": scheduled += tokens
        case "retrying": retrying += tokens
        case "taken": taken += tokens
        default: break
        }
    }
}
