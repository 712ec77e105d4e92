/// How a queue is steered while its workers run. The queue keeps it, for all processes that use it.
///
/// Workers ask for it when they begin, and then every 0.8 s.
public struct QueueSteering: Sendable, Hashable {
    /// Whether nothing is pushed. Workers give back what they have not sent, and take nothing; what is in flight gets its
    /// answer. What waits stays in the queue, and entries can be put in.
    public var isPaused: Bool
    /// How many tokens all workers together push, in place of their own ``PushWorker/Configuration/rate``. Nil: each goes
    /// by its own.
    public var rate: QueueRate?

    /// Makes a steering; by default that of a new queue, which works and has no rate.
    public init(isPaused: Bool = false, rate: QueueRate? = nil) {
        self.isPaused = isPaused
        self.rate = rate
    }

    /// The steering after an order.
    public func after(_ order: SteeringOrder) -> QueueSteering {
        switch order {
        case .pause: QueueSteering(isPaused: true, rate: rate)
        case .resume: QueueSteering(isPaused: false, rate: rate)
        case .rate(let rate): QueueSteering(isPaused: isPaused, rate: rate)
        }
    }
}

/// A change of how a queue is steered, see ``PushQueueProducer/steer(_:)``.
public enum SteeringOrder: Sendable, Hashable {
    /// Push nothing until ``resume``.
    case pause
    /// Go on.
    case resume
    /// All workers keep this rate together. Nil: each goes by its own again.
    case rate(QueueRate?)
}
