import SupervisedPush

/// How the demo's pushes ended, and for which reasons.
struct DemoTally: Sendable {
    enum Outcome: String, CaseIterable, Sendable {
        case accepted, rejected, failed, unknown
    }

    private var counts: [Outcome: Int] = [:]
    private var reasons: [Outcome: [String: Int]] = [:]

    subscript(_ outcome: Outcome) -> Int { counts[outcome, default: 0] }
    var total: Int { counts.values.reduce(0, +) }

    mutating func count(_ result: Result<PushResponse, PushError>) {
        switch result {
        case .success(let response) where response.isAccepted: count(.accepted, reason: nil)
        case .success(let response):
            count(.rejected, reason: response.reason?.rawValue ?? "http_\(response.status)")
        case .failure(let error):
            count(error.certainty == .unknown ? .unknown : .failed, reason: error.code.name)
        }
    }

    /// The reasons of an outcome, the most frequent first.
    func reasons(of outcome: Outcome) -> [(reason: String, count: Int)] {
        reasons[outcome, default: [:]].map { (reason: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    }

    private mutating func count(_ outcome: Outcome, reason: String?) {
        counts[outcome, default: 0] += 1
        if let reason { reasons[outcome, default: [:]][reason, default: 0] += 1 }
    }
}
