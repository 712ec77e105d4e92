import ProcessRuntime

/// How the queue is steered, which the store is asked for beside the other calls.
extension WorkerRun {
    /// How often the store is asked how the queue is steered: an order is obeyed within a second.
    private static let steeringPeriod = Duration.milliseconds(800)

    func askForSteering() {
        nextSteering = nil
        let (store, campaigns) = (store, machine.campaigns)
        Task {
            // The heartbeat tells of a store that does not answer.
            if let steering = try? await store.steering() { post { $0.handle(.steered(steering)) } }
            let holds = campaigns.isEmpty ? nil : try? await store.holds(of: campaigns)
            post { $0.steered(holds) }
        }
    }

    /// The answers have come. The next question is due.
    func steered(_ holds: [CampaignName: QueueCampaign.Hold]? = nil) {
        nextSteering = time.now.advanced(by: Self.steeringPeriod)
        handle(holds.map { .held($0) } ?? .tick)
    }
}
