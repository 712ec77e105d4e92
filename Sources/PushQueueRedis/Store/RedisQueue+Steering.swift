import PushQueue

extension RedisQueue {
    /// Pauses the queue, lets it go on, or sets its rate, in one script.
    @discardableResult
    public func steer(_ order: SteeringOrder) async throws(QueueError) -> QueueSteering {
        let change: (name: String, value: String) =
            switch order {
            case .pause: ("paused", "1")
            case .resume: ("paused", "")
            case .rate(let rate): ("rate", rate.map { "\($0.perSecond) \($0.burst)" } ?? "")
            }
        return QueueSteering(try await run(.steer, texts: [change.name, change.value]))
    }

    /// How the queue is steered.
    public func steering() async throws(QueueError) -> QueueSteering {
        QueueSteering(try await run(.steering, with: []))
    }
}

extension QueueSteering {
    /// Reads `PAUSED, PER_SECOND BURST`.
    init(_ reply: RedisReply) {
        let numbers = (reply[1].text ?? "").split(separator: " ")
        var rate: QueueRate?
        if numbers.count == 2, let perSecond = Double(numbers[0]), let burst = Int(numbers[1]) {
            rate = QueueRate(perSecond: perSecond, burst: burst)
        }
        self.init(isPaused: reply[0].text == "1", rate: rate)
    }
}
