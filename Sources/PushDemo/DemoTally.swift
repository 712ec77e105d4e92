import SupervisedPush

/// How the demo's pushes ended, and for which reasons.
struct DemoTally: Sendable {
    private var counts: [PushOutcome.Kind: Int] = [:]
    private var reasons: [PushOutcome.Kind: [String: Int]] = [:]

    subscript(_ kind: PushOutcome.Kind) -> Int { counts[kind, default: 0] }
    var total: Int { counts.values.reduce(0, +) }

    mutating func count(_ outcome: PushOutcome) {
        counts[outcome.kind, default: 0] += 1
        if let reason = outcome.reason { reasons[outcome.kind, default: [:]][reason, default: 0] += 1 }
    }

    /// The reasons of an outcome, the most frequent first.
    func reasons(of kind: PushOutcome.Kind) -> [(reason: String, count: Int)] {
        reasons[kind, default: [:]].map { (reason: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    }
}
