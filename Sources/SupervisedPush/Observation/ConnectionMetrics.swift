import CoreMetrics

/// Where a connection's metrics go. See the article "Watching a connection" for their names.
public struct MetricsDestination: Sendable {
    enum Kind: Sendable {
        case bootstrapped
        case factory(any MetricsFactory)
        case none
    }

    let kind: Kind

    /// To the factory that the program gave `MetricsSystem.bootstrap` before it connected; without one nothing is made
    /// and nothing is counted. The default.
    public static let bootstrapped = Self(kind: .bootstrapped)
    /// Nowhere.
    public static let none = Self(kind: .none)
    /// To this factory.
    public static func factory(_ factory: any MetricsFactory) -> Self { Self(kind: .factory(factory)) }

    /// The factory; nil if nobody listens.
    var factory: (any MetricsFactory)? {
        switch kind {
        case .bootstrapped: MetricsSystem.factory is NOOPMetricsHandler ? nil : MetricsSystem.factory
        case .factory(let factory): factory
        case .none: nil
        }
    }
}

/// The metrics of one connection: the one place where they are named.
///
/// Labels are the connection's name, as the user gave it, and words of ours: outcomes, certainties, layers. Never a token.
/// They are written once per burst of the process, with what the burst added, and gauges only where they changed.
final class ConnectionMetrics: Sendable {
    private let counts: [(counter: Counter, count: @Sendable (ConnectionCounters) -> Int)]
    private let gauges: [(gauge: Gauge, value: @Sendable (ConnectionGauges) -> Int)]
    private let up: Gauge?
    private let duration: Timer

    /// Nil if nobody listens.
    init?(_ destination: MetricsDestination, name: String?) {
        guard let factory = destination.factory else { return nil }
        let connection = name.map { [("connection", $0)] } ?? []
        func counter(_ label: String, _ key: String, _ value: String) -> Counter {
            Counter(label: label, dimensions: connection + [(key, value)], factory: factory)
        }
        counts =
            Self.outcomes.map { (counter("supervised_push_pushes", "outcome", $0.name), $0.count) }
            + Self.happenings.map { (counter("supervised_push_events", "event", $0.name), $0.count) }
        // Anonymous connections would overwrite each other's values.
        func gauge(_ label: String) -> Gauge {
            Gauge(label: "supervised_push_\(label)", dimensions: connection, factory: factory)
        }
        gauges = name == nil ? [] : Self.levels.map { (gauge($0.name), $0.value) }
        up = name == nil ? nil : gauge("up")
        duration = Timer(label: "supervised_push_duration", dimensions: connection, factory: factory)
    }

    private static let outcomes: [(name: String, count: @Sendable (ConnectionCounters) -> Int)] = [
        ("accepted", { $0.accepted }), ("rejected", { $0.rejected }), ("not_sent", { $0.notSent }),
        ("unprocessed", { $0.unprocessed }), ("unknown", { $0.unknown }),
    ]

    private static let happenings: [(name: String, count: @Sendable (ConnectionCounters) -> Int)] = [
        ("timed_out", { $0.timedOut }), ("overloaded", { $0.overloaded }), ("dropped", { $0.dropped }),
        ("resent", { $0.resent }), ("held_back_by_budget", { $0.heldBackByBudget }),
        ("held_back_by_breaker", { $0.heldBackByBreaker }),
        ("late_answer", { $0.lateAnswers }), ("reset", { $0.resets }), ("dial", { $0.dials }),
        ("link_up", { $0.linksUp }), ("link_lost", { $0.linksLost }), ("reconnecting", { $0.reconnects }),
        ("suspended", { $0.suspensions }),
        ("goaway", { $0.goAways }), ("restart", { $0.restarts }), ("feedback_dropped", { $0.feedbackDropped }),
        ("hand_back_lost", { $0.handBacksLost }),
    ]

    private static let levels: [(name: String, value: @Sendable (ConnectionGauges) -> Int)] = [
        ("in_flight", { $0.inFlight }), ("waiting", { $0.waiting }),
        ("stream_limit", { $0.limit }), ("open_streams", { $0.openStreams }),
    ]

    /// Adds what was counted since the last time.
    func add(_ counters: ConnectionCounters) {
        for (counter, count) in counts {
            let number = count(counters)
            if number > 0 { counter.increment(by: number) }
        }
    }

    func set(_ new: ConnectionGauges, before old: ConnectionGauges?) {
        for (gauge, value) in gauges {
            let number = value(new)
            if old.map(value) != number { gauge.record(number) }
        }
    }

    func set(isUp: Bool) { up?.record(isUp ? 1 : 0) }

    func sample(_ pushDuration: Duration) { duration.recordNanoseconds(max(0, pushDuration.saturatedNanoseconds)) }
}
