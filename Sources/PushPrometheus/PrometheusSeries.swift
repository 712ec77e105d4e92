import CoreMetrics
import PushLocking
import Synchronization

/// The samples of one metric with one set of labels.
protocol PrometheusSeries: AnyObject, Sendable {
    static var kind: PrometheusText.Kind { get }
    init()
    func write(_ name: String, labels: [PrometheusText.Label], to text: inout PrometheusText)
}

final class CounterSeries: PrometheusSeries, CounterHandler {
    static let kind = PrometheusText.Kind.counter
    private let total = Atomic<Int64>(0)

    func increment(by amount: Int64) { total.wrappingAdd(amount, ordering: .relaxed) }

    func reset() { total.store(0, ordering: .relaxed) }

    func write(_ name: String, labels: [PrometheusText.Label], to text: inout PrometheusText) {
        text.sample(name, labels: labels, Double(total.load(ordering: .relaxed)))
    }
}

final class GaugeSeries: PrometheusSeries, RecorderHandler {
    static let kind = PrometheusText.Kind.gauge
    private let bits = Atomic<UInt64>(0)

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func write(_ name: String, labels: [PrometheusText.Label], to text: inout PrometheusText) {
        text.sample(name, labels: labels, Double(bitPattern: bits.load(ordering: .relaxed)))
    }
}

/// How long something took, in seconds.
final class HistogramSeries: PrometheusSeries, TimerHandler {
    static let kind = PrometheusText.Kind.histogram
    /// The upper bounds of the buckets. A usual answer takes 20 to 200 ms, and a push may last for its timeout.
    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

    private struct State {
        /// One more than there are bounds.
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        var seconds = 0.0
    }

    private let state = Locked(State())

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.seconds += seconds
        }
    }

    func write(_ name: String, labels: [PrometheusText.Label], to text: inout PrometheusText) {
        let state = state.withLock { $0 }
        var total = 0
        for (bound, count) in zip(Self.bounds + [.infinity], state.counts) {
            total += count
            let bound = bound == .infinity ? "+Inf" : Int(exactly: bound).map(String.init) ?? "\(bound)"
            text.sample("\(name)_bucket", labels: labels + [("le", bound)], Double(total))
        }
        text.sample("\(name)_sum", labels: labels, state.seconds)
        text.sample("\(name)_count", labels: labels, Double(total))
    }
}
