import PushQueue
import PushTerminal

/// Steers campaigns of a queue, and prints how each stands then.
struct CampaignSteering {
    private let options: QueueOptions
    private let isJSON: Bool

    init(_ options: QueueOptions, _ isJSON: Bool) { (self.options, self.isJSON) = (options, isJSON) }

    /// Whether it may have something to push. Where tokens are is counted while they move, and what has an outcome is certain.
    private static func isOpen(_ standing: CampaignStanding) -> Bool {
        guard standing.state != .cancelled else { return false }
        let ended = standing.outcomes.count + standing.outcomes.cancelled
        return standing.state != .done || ended < standing.campaign.tokens
    }

    /// - Parameter names: The campaigns; nil for all that may have something to push.
    func print(_ order: CampaignOrder, _ names: [CampaignName]?) async throws {
        let lines = try await OpenQueue.with(options) { queue in
            var chosen = names ?? []
            if names == nil {
                chosen = try await queue.store.campaigns().filter(Self.isOpen).map(\.campaign.name)
            }
            var failure: QueueError?
            for name in chosen {
                // The others must not go out because of one.
                do throws(QueueError) { try await queue.store.steer(order, campaign: name) } catch {
                    failure = failure ?? error
                    if error.code == .unreachable { break }
                }
            }
            if let failure { throw failure }
            return try await queue.store.campaigns().filter { chosen.contains($0.campaign.name) }.map {
                CampaignLine($0)
            }
        }
        for line in lines { try OutputFile.standardOutput.write(isJSON ? line.json : Array((line.text + "\n").utf8)) }
    }
}
