/// How fast a run was in its last minute: a sample a second, and what follows from them.
struct RateHistory: Sendable {
    private static let most = 61

    private struct Sample {
        let seconds: Double
        let settled: Int
        /// The share of the input; nil if unknown.
        let share: Double?
    }

    private var samples: [Sample] = []
    private var latest: Sample?

    init() {}

    /// Notes how many pushes are settled, and which share of the input that is, at a time since the start.
    mutating func note(settled: Int, share: Double?, at seconds: Double) {
        let sample = Sample(seconds: seconds, settled: settled, share: share)
        latest = sample
        if samples.isEmpty { samples.append(Sample(seconds: 0, settled: 0, share: share == nil ? nil : 0)) }
        guard let newest = samples.last, seconds >= newest.seconds + 1 else { return }
        samples.append(sample)
        if samples.count > Self.most { samples.removeFirst() }
    }

    /// The pushes per second of each sample, the newest last.
    var rates: [Double] {
        zip(samples, samples.dropFirst()).map { Double($1.settled - $0.settled) / ($1.seconds - $0.seconds) }
    }

    /// The pushes per second in the last few seconds.
    func rate(over seconds: Double = 5) -> Double {
        guard let latest, let earlier = sample(seconds, before: latest), latest.seconds > earlier.seconds else {
            return 0
        }
        return Double(latest.settled - earlier.settled) / (latest.seconds - earlier.seconds)
    }

    /// In how many seconds the rest of the input is settled, if it goes on as in the last half minute; nil if unknown.
    ///
    /// By the share and not by counts: what an earlier run has settled is skipped within moments, and then no longer
    /// counts.
    var secondsLeft: Double? {
        guard let latest, let earlier = sample(30, before: latest), let share = latest.share,
            let before = earlier.share, share > before
        else { return nil }
        return (1 - share) / (share - before) * (latest.seconds - earlier.seconds)
    }

    /// The newest sample that is so old, else the oldest.
    private func sample(_ seconds: Double, before latest: Sample) -> Sample? {
        samples.last { $0.seconds <= latest.seconds - seconds } ?? samples.first
    }
}
