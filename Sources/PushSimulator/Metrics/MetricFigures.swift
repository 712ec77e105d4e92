/// What an export counts of a simulator's pushes, by day.
struct MetricFigures: Sendable {
    struct Delivery: Hashable, Sendable {
        // Small, because every push carries one.
        let day: Int32
        let kind: PushKind
    }

    struct Broadcast: Hashable, Sendable {
        let day: Int
        let channelID: String
    }

    /// How many days and channels are counted. Later ones are not.
    private static let mostKeys = 10_000

    private(set) var deliveries: [Delivery: Int] = [:]
    private(set) var broadcasts: [Broadcast: Int] = [:]

    /// Adds an accepted push.
    mutating func add(_ delivery: Delivery) {
        guard deliveries[delivery] != nil || deliveries.count < Self.mostKeys else { return }
        deliveries[delivery, default: 0] += 1
    }

    /// Adds an accepted broadcast.
    mutating func add(_ broadcast: Broadcast) {
        guard broadcasts[broadcast] != nil || broadcasts.count < Self.mostKeys else { return }
        broadcasts[broadcast, default: 0] += 1
    }

    /// The day that a push counts for: the one before that on which it was processed.
    ///
    /// - Parameter wallClock: Milliseconds since 1970.
    static func day(_ wallClock: Int64) -> Int { Int(wallClock / 86_400_000) - 1 }
}

extension MetricFigures.Delivery {
    init(_ request: PushRequest, wallClock: Int64) {
        self.init(
            day: Int32(clamping: MetricFigures.day(wallClock)),
            kind: request.pushType.flatMap { PushKind($0) } ?? .alert)
    }
}
