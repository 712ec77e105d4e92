/// The same measured in several rounds.
struct Samples {
    /// By round.
    private(set) var values: [Int: Double] = [:]

    mutating func add(_ value: Double, round: Int) { values[round] = value }

    /// Each round's value by that of the same round there; rounds that only one has are left out.
    func ratios(to baseline: Samples) -> Samples {
        var ratios = Samples()
        for (round, value) in values {
            guard let other = baseline.values[round], other > 0 else { continue }
            ratios.add(value / other, round: round)
        }
        return ratios
    }

    var isEmpty: Bool { values.isEmpty }
    var rounds: Int { values.count }

    var median: Double {
        let sorted = values.values.sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// `0.71 (0.68–0.75)`: the median, the least and the most.
    var text: String {
        guard let least = values.values.min(), let most = values.values.max() else { return "–" }
        return rounds == 1 ? Self.text(median) : "\(Self.text(median)) (\(Self.text(least))–\(Self.text(most)))"
    }

    /// Three digits that say something.
    static func text(_ value: Double) -> String {
        guard value != 0 else { return "0" }
        let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : abs(value) >= 1 ? 2 : 3
        return value.text(decimals: digits)
    }
}
