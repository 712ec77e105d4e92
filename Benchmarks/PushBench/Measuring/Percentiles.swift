/// Latencies, and the bound that a percentage of them stays within.
struct Percentiles {
    private let sorted: [Double]

    /// Microseconds, in any order.
    init(_ microseconds: [Double]) { sorted = microseconds.sorted() }

    func at(_ percent: Double) -> Double {
        guard !sorted.isEmpty else { return .nan }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * percent / 100))]
    }

    /// Empty if there are no latencies.
    var values: [String: Double] {
        sorted.isEmpty ? [:] : ["p50_us": at(50), "p90_us": at(90), "p99_us": at(99), "p999_us": at(99.9)]
    }
}
