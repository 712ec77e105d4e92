import CoreMetrics
import PushLocking

/// Where a connection's metrics go. See the article "Watching a connection" for their names.
public struct MetricsDestination: Sendable {
    enum Kind: Sendable {
        case bootstrapped
        case factory(any MetricsFactory)
        case none
    }

    let kind: Kind

    /// To the factory that the program gave `MetricsSystem.bootstrap` before it connected; without one, no metric is
    /// made; ``PushConnection/status`` counts all the same. The default.
    public static let bootstrapped = Self(kind: .bootstrapped)
    /// Nowhere.
    public static let none = Self(kind: .none)
    /// To this factory.
    public static func factory(_ factory: any MetricsFactory) -> Self { Self(kind: .factory(factory)) }

    /// The factory; nil if there is none.
    package var factory: (any MetricsFactory)? {
        switch kind {
        case .bootstrapped: MetricsSystem.factory is NOOPMetricsHandler ? nil : MetricsSystem.factory
        case .factory(let factory): factory
        case .none: nil
        }
    }
}

/// The metrics of one connection: the one place where they are named.
///
/// Labels are the connection's name, as the user gave it, and words from bounded sets: outcomes, events, reasons. Never
/// a token. Every series of a metric has the same labels, because Prometheus requires it. Metrics are written once per
/// burst of the process, with what the burst added; gauges only if they changed.
final class ConnectionMetrics: Sendable {
    private let factory: any MetricsFactory
    private let connection: [(String, String)]
    private let counts: [(counter: Counter, count: @Sendable (ConnectionCounters) -> Int)]
    /// Made when a reason first occurs.
    private let rejections = Locked<[String: Counter]>([:])
    private let gauges: [(gauge: Gauge, value: @Sendable (ConnectionGauges) -> Double)]
    private let up: Gauge?
    private let duration: Timer

    /// Nil if there is no factory.
    init?(_ destination: MetricsDestination, name: String?) {
        guard let factory = destination.factory else { return nil }
        let connection = [("connection", name ?? "anonymous")]
        self.factory = factory
        self.connection = connection
        func event(_ name: String) -> Counter {
            Counter(
                label: "supervised_push_events_total", dimensions: connection + [("event", name)], factory: factory)
        }
        counts =
            Self.outcomes.map {
                (Self.outcome($0.name, reason: "none", connection: connection, factory: factory), $0.count)
            }
            + Self.events.map { (event($0.name), $0.count) }
        // Anonymous connections would overwrite each other's values.
        func gauge(_ label: String) -> Gauge {
            Gauge(label: "supervised_push_\(label)", dimensions: connection, factory: factory)
        }
        gauges = name == nil ? [] : Self.levels.map { (gauge($0.name), $0.value) }
        up = name == nil ? nil : gauge("up")
        duration = Timer(label: "supervised_push_duration_seconds", dimensions: connection, factory: factory)
    }

    private static func outcome(
        _ outcome: String, reason: String, connection: [(String, String)], factory: any MetricsFactory
    ) -> Counter {
        Counter(
            label: "supervised_push_outcomes_total",
            dimensions: connection + [("outcome", outcome), ("reason", reason)],
            factory: factory)
    }

    /// How pushes end, except for rejections, which have reasons.
    private static let outcomes: [(name: String, count: @Sendable (ConnectionCounters) -> Int)] = [
        ("accepted", { $0.accepted }), ("not_sent", { $0.notSent }), ("unprocessed", { $0.unprocessed }),
        ("unknown", { $0.unknown }),
    ]

    private static let events: [(name: String, count: @Sendable (ConnectionCounters) -> Int)] = [
        ("timed_out", { $0.timedOut }), ("overloaded", { $0.overloaded }), ("dropped", { $0.dropped }),
        ("resent", { $0.resent }), ("held_back_by_budget", { $0.heldBackByBudget }),
        ("held_back_by_breaker", { $0.heldBackByBreaker }),
        ("late_answer", { $0.lateAnswers }), ("reset", { $0.resets }), ("dial", { $0.dials }),
        ("link_up", { $0.linksUp }), ("link_lost", { $0.linksLost }), ("reconnecting", { $0.reconnects }),
        ("suspended", { $0.suspensions }),
        ("goaway", { $0.goAways }), ("restart", { $0.restarts }), ("feedback_dropped", { $0.feedbackDropped }),
        ("hand_back_lost", { $0.handBacksLost }),
    ]

    private static let levels: [(name: String, value: @Sendable (ConnectionGauges) -> Double)] = [
        ("in_flight", { Double($0.inFlight) }), ("waiting", { Double($0.waiting) }),
        ("retrying", { Double($0.retrying) }),
        ("stream_limit", { Double($0.limit) }), ("open_streams", { Double($0.openStreams) }),
        ("rtt_seconds", { $0.rtt.map { $0 / .seconds(1) } ?? 0 }),
    ]

    /// Adds what was counted since the last call.
    func add(_ counters: ConnectionCounters) {
        for (counter, count) in counts {
            let number = count(counters)
            if number > 0 { counter.increment(by: number) }
        }
        for (reason, number) in counters.rejections { rejection(reason).increment(by: number) }
    }

    /// One more push was refused because the queue is full.
    func overloaded() {
        var counters = ConnectionCounters()
        counters.overloaded = 1
        add(counters)
    }

    private func rejection(_ reason: String) -> Counter {
        if let known = rejections.withLock({ $0[reason] }) { return known }
        // Without the lock, because the factory is the caller's code.
        let new = Self.outcome("rejected", reason: reason, connection: connection, factory: factory)
        return rejections.withLock { rejections in
            let first = rejections[reason] ?? new
            rejections[reason] = first
            return first
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
