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

    private static func throughput(_ store: String) -> [Goal] {
        [1, 2, 4].map { count in
            Goal(
                title: "\(count) worker processes (\(store)): pushes/s, of \(count * 2_000) at 50 ms round trip",
                figure: "workers", subject: "\(store), \(count)", value: "of_limit", baseline: nil,
                direction: .atLeast, must: 0.9)
        }
    }
}
