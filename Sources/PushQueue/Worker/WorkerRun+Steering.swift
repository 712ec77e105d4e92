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
            let steering = try? await store.steering()
            let holds = campaigns.isEmpty ? nil : try? await store.holds(of: campaigns)
            post { run in
                if let holds { run.handle(.held(holds)) }
                run.steered(steering)
            }
        }
    }

    func steered(_ steering: QueueSteering?) {
        nextSteering = time.now.advanced(by: Self.steeringPeriod)
        handle(steering.map { .steered($0) } ?? .tick)
    }
}
