import CoreMetrics
import PushLocking
import SupervisedPush

/// The metrics of one worker: the one place where they are named.
///
/// Labels are the name of the worker's connection, as the user gave it, and words from bounded sets: outcomes, events,
/// codes. Every series of a metric has the same labels, because Prometheus requires it.
final class WorkerMetrics: Sendable {
    /// What is counted in addition to outcomes and failures.
    enum Event: String, Sendable, CaseIterable {
        case entryTaken = "entry_taken"
        /// Taken over from a worker that died.
        case entryTakenOver = "entry_taken_over"
        /// Another worker has taken over an entry of this one.
        case entryLost = "entry_lost"
        case tokenInDoubt = "token_in_doubt"
        /// APNs asked to push to it later.
        case tokenPostponed = "token_postponed"
        case deadLetter = "dead_letter"
        case leaseLost = "lease_lost"
    }

    private let factory: any MetricsFactory
    private let connection: [(String, String)]
    private let events: [Event: Counter]
    /// Made when an outcome, or a code, first occurs.
    private let outcomes = Locked<[PushOutcome.Kind: Counter]>([:])
    private let failures = Locked<[QueueError.Code: Counter]>([:])
    private let gauges: (taken: Gauge, inFlight: Gauge, isLeased: Gauge)?
    private let isOver = Locked(false)

    /// Nil if there is no factory.
    init?(_ destination: MetricsDestination, name: String?) {
        guard let factory = destination.factory else { return nil }
        let connection = [("connection", name ?? "anonymous")]
        self.factory = factory
        self.connection = connection
        events = Dictionary(
            uniqueKeysWithValues: Event.allCases.map { event in
                let dimensions = connection + [("event", event.rawValue)]
                let counter = Counter(
                    label: "supervised_push_queue_events_total", dimensions: dimensions, factory: factory)
                return (event, counter)
            })
        // Workers of anonymous connections would overwrite each other's values.
        func gauge(_ label: String) -> Gauge {
            Gauge(label: "supervised_push_queue_\(label)", dimensions: connection, factory: factory)
        }
        gauges = name == nil ? nil : (gauge("taken"), gauge("in_flight"), gauge("leased"))
    }

    func count(_ event: Event, _ number: Int = 1) {
        if number > 0 { events[event]?.increment(by: number) }
    }

    /// The store has this number of outcomes more.
    func count(_ kind: PushOutcome.Kind, _ number: Int) {
        counter(for: kind, in: outcomes, label: "outcomes", dimension: "outcome", value: kind.rawValue).increment(
            by: number)
    }

    /// A call to the store failed.
    func count(_ code: QueueError.Code) {
        counter(for: code, in: failures, label: "failures", dimension: "code", value: code.rawValue).increment(by: 1)
    }

    private func counter<Key: Hashable & Sendable>(
        for key: Key, in known: Locked<[Key: Counter]>, label: String, dimension: String, value: String
    ) -> Counter {
        known.withLock { known in
            if let counter = known[key] { return counter }
            let new = Counter(
                label: "supervised_push_queue_\(label)_total", dimensions: connection + [(dimension, value)],
                factory: factory)
            known[key] = new
            return new
        }
    }

    /// Writes the gauges that have changed.
    func set(_ new: PushWorker.Status, before old: PushWorker.Status) {
        guard let gauges, !isOver.withLock({ $0 }) else { return }
        if new.taken != old.taken { gauges.taken.record(new.taken) }
        if new.inFlight != old.inFlight { gauges.inFlight.record(new.inFlight) }
        if new.isLeased != old.isLeased { gauges.isLeased.record(new.isLeased ? 1 : 0) }
    }

    /// The worker has ended. Its gauges stay 0.
    func end() {
        isOver.withLock { $0 = true }
        guard let gauges else { return }
        for gauge in [gauges.taken, gauges.inFlight, gauges.isLeased] { gauge.record(0) }
    }
}
