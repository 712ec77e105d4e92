import PushQueue
import PushTerminal

/// How fast the tokens of a campaign end, and how long it takes until all have: between two looks at a queue.
struct CampaignPace: Equatable {
    /// Tokens a second.
    let perSecond: Double
    /// Seconds; nil if nothing ends.
    let left: Double?

    /// - Parameters:
    ///   - first: What the first look saw of all campaigns.
    ///   - last: What the second saw of this one.
    ///   - time: What lies between them.
    init(from first: [CampaignStanding], to last: CampaignStanding, in time: Duration) {
        let before = first.first { $0.campaign.name == last.campaign.name }.map(Self.ended) ?? 0
        let after = Self.ended(last)
        perSecond = Double(max(0, after - before)) / max(0.001, time / .seconds(1))
        let open = max(0, last.campaign.tokens - after)
        left = open == 0 ? 0 : perSecond > 0 ? Double(open) / perSecond : nil
    }

    /// Outcomes are counted in the step that stores them. Where the others are is counted while they move.
    private static func ended(_ standing: CampaignStanding) -> Int {
        standing.outcomes.count + standing.outcomes.cancelled
    }

    /// `; 4,980/s, 1:20 to go`
    var text: String {
        guard let left else { return "; 0/s" }
        guard left > 0 else { return "" }
        return "; \(Figures.grouped(Int(perSecond.rounded())))/s, \(Figures.span(Int64(left.rounded(.up)))) to go"
    }

    func add(to object: inout JSONLine) {
        object.add("rate", seconds: perSecond)
        object.add("seconds_left", seconds: left ?? .infinity)
    }
}
