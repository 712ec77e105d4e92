import CoreMetrics
import PushLocking

/// Keeps what a program counts, and writes it as Prometheus' text. May be used from any thread.
///
/// It holds at most ``most`` series. Those beyond are counted nowhere, but their number is shown: labels are bounded, so
/// this is a fault of the program, or of a server that invents reasons.
package final class PrometheusFactory: MetricsFactory {
    /// How many series it holds.
    package static let most = 10_000

    private struct Key: Hashable {
        let name: String
        let labels: String
    }

    private struct Member: Sendable {
        let labels: [PrometheusText.Label]
        let series: any PrometheusSeries
    }

    private struct State {
        var members: [Key: Member] = [:]
        var kinds: [String: PrometheusText.Kind] = [:]
        var leftOut = 0
    }

    private let state = Locked(State())
    private let help: [String: String]

    /// - Parameter help: A sentence for each name.
    package init(help: [String: String] = PrometheusHelp.sentences) { self.help = help }

    // MARK: Series

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(CounterSeries.self, label: label, dimensions: dimensions)
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        series(GaugeSeries.self, label: label, dimensions: dimensions)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(HistogramSeries.self, label: label, dimensions: dimensions)
    }

    // A connection that comes back under its name goes on with the same series.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func series<Series: PrometheusSeries>(
        _ type: Series.Type, label: String, dimensions: [(String, String)]
    ) -> Series {
        let name = PrometheusText.name(label)
        let labels = dimensions.map { PrometheusText.Label(name: $0.0, value: $0.1) }
        let key = Key(name: name, labels: PrometheusText.text(labels))
        return state.withLock { state in
            if let known = state.members[key]?.series as? Series { return known }
            let new = Series()
            guard state.members.count < Self.most, state.kinds[name] ?? Series.kind == Series.kind else {
                state.leftOut += 1
                return new
            }
            state.kinds[name] = Series.kind
            state.members[key] = Member(labels: labels, series: new)
            return new
        }
    }

    // MARK: Text

    /// All series in the order of their names and labels, and these samples.
    package func text(adding samples: [PrometheusSample] = []) -> String {
        let state = state.withLock { $0 }
        var text = PrometheusText()
        for (name, members) in Dictionary(grouping: state.members, by: \.key.name).sorted(by: { $0.key < $1.key }) {
            text.begin(name, state.kinds[name] ?? .gauge, help: help[name] ?? "")
            for member in members.sorted(by: { $0.key.labels < $1.key.labels }) {
                member.value.series.write(name, labels: member.value.labels, to: &text)
            }
        }
        var samples = samples
        if state.leftOut > 0 { samples.append(PrometheusSample(PrometheusHelp.leftOut, Double(state.leftOut))) }
        for (name, samples) in Dictionary(grouping: samples, by: \.name).sorted(by: { $0.key < $1.key })
        where state.kinds[name] == nil {
            text.begin(name, samples.first?.kind ?? .gauge, help: help[name] ?? "")
            for sample in samples { text.sample(name, labels: sample.labels, sample.value) }
        }
        return text.text
    }
}
