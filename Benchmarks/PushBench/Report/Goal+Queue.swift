extension Goal {
    /// What a queue adds to the processor time of a push, in microseconds, and what worker processes reach.
    static let queue = ["memory", "sqlite", "redis"].flatMap(costs) + ["sqlite", "redis"].flatMap(throughput)

    private static func costs(_ store: String) -> [Goal] {
        [
            Goal(
                title: "queue (\(store)), CPU per push beside a bulk, one token an entry", figure: "queue",
                subject: "\(store), entries of 1", value: "queue_us", baseline: nil, must: 5),
            Goal(
                title: "… 256 tokens an entry", figure: "queue", subject: "\(store), entries of 256",
                value: "queue_us", baseline: nil, must: 1),
        ]
    }

    /// Over so many streams each. What 1,000 streams allow to four workers is more than two cores can carry beside the
    /// server, so it is not a goal.
    private static func throughput(_ store: String) -> [Goal] {
        [(1, 100), (2, 100), (4, 100), (1, 1_000), (2, 1_000)].map { count, streams in
            Goal(
                title: "\(count) worker processes (\(store)): pushes/s, of \(count * streams * 20) at 50 ms of delay",
                figure: "workers", subject: "\(store), \(count) over \(streams)", value: "of_limit", baseline: nil,
                direction: .atLeast, must: 0.9)
        }
    }
}
