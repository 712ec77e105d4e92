import PushQueue
import PushTerminal

/// Steers campaigns of a queue, and prints how each stands then.
struct CampaignSteering {
    private let options: QueueOptions
    private let isJSON: Bool

    init(_ options: QueueOptions, _ isJSON: Bool) { (self.options, self.isJSON) = (options, isJSON) }

    /// - Parameter names: The campaigns; nil for all that may have something to push.
    func print(_ order: CampaignOrder, _ names: [CampaignName]?) async throws {
        let lines = try await OpenQueue.with(options) { queue in
            var chosen = names ?? []
            if names == nil {
                chosen = try await queue.store.campaigns().filter { $0.state != .done && $0.state != .cancelled }
                    .map(\.campaign.name)
            }
            for name in chosen { try await queue.store.steer(order, campaign: name) }
            return try await queue.store.campaigns().filter { chosen.contains($0.campaign.name) }.map(CampaignLine.init)
        }
        for line in lines { try OutputFile.standardOutput.write(isJSON ? line.json : Array((line.text + "\n").utf8)) }
    }
}
