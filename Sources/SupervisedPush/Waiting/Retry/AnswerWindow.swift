import ProcessRuntime

/// How many answers arrived in the last ten seconds, and how many of them were failures: ten buckets of a second each.
struct AnswerWindow {
    static let seconds = 10

    private struct Bucket {
        var second: Int64
        var answers = 0
        var failures = 0
    }

    /// Created with the first answer: most connections never retry.
    private var buckets: ContiguousArray<Bucket> = []

    mutating func note(isFailure: Bool, _ now: MonotonicInstant) {
        let second = Self.second(now)
        if buckets.isEmpty {
            buckets = ContiguousArray(repeating: Bucket(second: .min), count: Self.seconds)
        }
        let index = Int(second % Int64(Self.seconds))
        if buckets[index].second != second { buckets[index] = Bucket(second: second) }
        buckets[index].answers += 1
        if isFailure { buckets[index].failures += 1 }
    }

    /// What arrived in the second of `now` and in the nine before it.
    func sum(_ now: MonotonicInstant) -> (answers: Int, failures: Int) {
        let oldest = Self.second(now) - Int64(Self.seconds) + 1
        return buckets.reduce(into: (0, 0)) { sum, bucket in
            guard bucket.second >= oldest else { return }
            sum.0 += bucket.answers
            sum.1 += bucket.failures
        }
    }

    private static func second(_ now: MonotonicInstant) -> Int64 { max(0, now.nanoseconds / 1_000_000_000) }
}
