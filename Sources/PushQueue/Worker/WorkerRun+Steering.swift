import ProcessRuntime

/// How the queue is steered, which the store is asked for beside the other calls.
extension WorkerRun {
    /// How often the store is asked how the queue is steered: an order is obeyed within a second.
    private static let steeringPeriod = Duration.milliseconds(800)

    func askForSteering() {
        nextSteering = nil
        let store = store
        Task {
            // The heartbeat tells of a store that does not answer.
            let steering = try? await store.steering()
            post { $0.steered(steering) }
        }
    }

    func steered(_ steering: QueueSteering?) {
        nextSteering = time.now.advanced(by: Self.steeringPeriod)
        handle(steering.map { .steered($0) } ?? .tick)
    }
}
