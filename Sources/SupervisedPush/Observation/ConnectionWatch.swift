import FoundationEssentials
import Logging
import ProcessRuntime
import PushLocking
import PushTransport

/// Everything observable about a connection goes through this object: to the flight recorder, the counters, the log,
/// the metrics and the observer. (Mailboxes get it from the ``LifecycleHub``.)
///
/// It belongs to the connection, not to its process, so that a failure can be read after the restart. Rare events
/// arrive one by one; what happens with every push is summed up once per burst.
final class ConnectionWatch: Sendable {
    private struct State {
        var ring: FlightRing
        var counters = ConnectionCounters()
        var gauges: ConnectionGauges?
        var processes = 0
        var losses = HandBackLosses()
        var rejections = RejectionLog()
        var alarm = RejectionAlarm()
    }

    /// How many entries a dump to the log may have.
    private static let dumped = 64

    private let name: String?
    private let time: any TimeSource
    private let log: ConnectionLog
    private let observer: ObserverDelivery?
    private let metrics: ConnectionMetrics?
    /// The gauges of its pool, and its number there.
    private let pool: (gauges: PoolGauges, number: Int)?
    private let state: Locked<State>

    /// - Parameter pool: The gauges of its pool, and its number there; nil outside of pools.
    init(
        name: String?, config: PushConnection.Configuration, time: any TimeSource,
        pool: (gauges: PoolGauges, number: Int)? = nil
    ) {
        self.name = name
        self.time = time
        self.pool = pool
        log = ConnectionLog(config.watching.logger, name: name)
        observer = config.watching.observer.map { ObserverDelivery($0, name: name) }
        metrics = ConnectionMetrics(config.watching.metrics, name: name)
        state = Locked(State(ring: FlightRing(limit: config.watching.flightRecorderLimit)))
    }

    // MARK: Facts, one by one

    func report(_ fact: LinkFact, on link: LinkID, of pid: ProcessID) {
        var counted = ConnectionCounters()
        fact.count(into: &counted)
        record(fact.flightEvent, on: link.number, counted: counted)
        if case .unpinned(let keys) = fact { log.unpinned(keys, of: pid) }
        if let observer, let call = fact.call(link: Int(link.number)) { observer.post(pid, call) }
    }

    func report(_ fact: ConnectionFact, of pid: ProcessID) {
        var counted = ConnectionCounters()
        fact.count(into: &counted)
        record(fact.flightEvent, on: 0, counted: counted)
        log.report(fact, of: pid)
        if let observer { observer.post(pid, fact.call(name: name, pid: pid)) }
    }

    func processBegan(_ pid: ProcessID) {
        let restarts = state.withLock { state in
            state.processes += 1
            return state.processes - 1
        }
        var counted = ConnectionCounters()
        counted.restarts = min(restarts, 1)
        record(.processBegan(pid), on: 0, counted: counted)
        observer?.post(pid) { $0.processStarted($1, restarts: restarts) }
    }

    /// Pushes carry the provider token with this number from now on; never the token itself.
    func tokenChanged(_ number: UInt32, of pid: ProcessID) {
        record(.token(number), on: 0)
        observer?.post(pid) { $0.providerTokenChanged($1, number: Int(number)) }
    }

    func processEnded(_ pid: ProcessID, reason: ExitReason) {
        record(.processEnded(FlightEvent.ExitWord(reason)), on: 0)
        publish(ConnectionGauges())
        log.ended(pid, reason: reason)
        if reason.isAbnormal { log.dump(pid, at: .warning) { flightRecord().lines(newest: Self.dumped) } }
        observer?.post(pid) { $0.processEnded($1, reason: reason) }
    }

    /// A link broke while pushes were in flight, which are now unknown.
    func pushesBecameUnknown(_ pid: ProcessID) {
        log.dump(pid, at: .debug) { flightRecord().lines(newest: Self.dumped) }
    }

    /// The call refused a push because the queue is full. In an overload that is frequent, so no clock is read.
    func overloaded() {
        state.withLock { $0.counters.overloaded += 1 }
        metrics?.overloaded()
    }

    /// - Parameter pid: Nil if no process ever lived; the observer is then not called.
    func feedbackDropped(_ number: Int, of pid: ProcessID?) {
        count { $0.feedbackDropped = number }
        if let pid { observer?.post(pid) { $0.feedbackDropped($1, count: number) } }
    }

    /// The feedback handler threw.
    func feedbackFailed(_ error: any Error, of pid: ProcessID?) { log.feedbackFailed(error, of: pid) }

    /// Pushes ended without an answer, and could not be handed back.
    ///
    /// - Parameter pid: Nil if no process of the connection or its pool ever lived; the observer is then not called.
    func handBackLost(_ batch: HandBackBatch, of pid: ProcessID?) {
        let number = batch.pushes.count
        count { $0.handBacksLost = number }
        let now = time.now
        if let line = state.withLock({ $0.losses.add(batch, now) }) { log.handBackLost(line) }
        if let pid { observer?.post(pid) { $0.handBackLost($1, count: number) } }
    }

    /// A push ended that no process held.
    func ended(_ outcome: OutcomeReceiver.Outcome) { count { $0.count(outcome) } }

    /// - Parameter pid: Nil if no process ever lived; the observer is then not called.
    func givenUp(_ pid: ProcessID?) {
        if let pid { observer?.post(pid) { $0.givenUp($1) } }
    }

    /// The connection has ended.
    func finish() {
        if let line = state.withLock({ $0.losses.takeRest() }) { log.handBackLost(line) }
        let now = time.now
        if let reasons = state.withLock({ $0.rejections.takeRest(now) }) { log.rejected(reasons) }
        if let pool, let metrics { pool.gauges.remove(pool.number, from: metrics) }
        observer?.close()
    }

    /// Measures whether a link is up, from the connection's standing.
    func follow(_ hub: LifecycleHub) {
        guard let metrics else { return }
        _ = hub.watch { [weak hub] in metrics.set(isUp: hub?.phase == .up) }
    }

    // MARK: Once a burst

    /// Records the frames so far, so that the next entry comes after them.
    func order(_ tally: inout BurstTally, _ now: MonotonicInstant) {
        guard tally.hasFrames else { return }
        state.withLock { tally.moveFrames(to: &$0.ring, now) }
    }

    /// Hands over what the burst added, and the connection's load after it.
    func publish(_ tally: inout BurstTally, gauges: ConnectionGauges, _ now: MonotonicInstant) {
        let old = state.withLock { state in
            tally.moveFrames(to: &state.ring, now)
            state.counters.add(tally.counters)
            defer { state.gauges = gauges }
            return state.gauges
        }
        if let metrics {
            metrics.add(tally.counters)
            show(gauges, before: old, in: metrics)
            if let sample = tally.sample { metrics.sample(sample) }
        }
        logRejections(tally.counters, now)
        tally.removeCounts()
    }

    /// Publishes the connection's load in the middle of a burst.
    func publish(_ gauges: ConnectionGauges) {
        let old = state.withLock { state in
            defer { state.gauges = gauges }
            return state.gauges
        }
        if let metrics { show(gauges, before: old, in: metrics) }
    }

    private func show(_ gauges: ConnectionGauges, before old: ConnectionGauges?, in metrics: ConnectionMetrics) {
        guard let pool else { return metrics.set(gauges, before: old) }
        pool.gauges.set(gauges, of: pool.number, in: metrics)
    }

    // MARK: Asking

    var counters: ConnectionCounters { state.withLock { $0.counters } }

    var gauges: ConnectionGauges { state.withLock { $0.gauges } ?? ConnectionGauges() }

    func flightRecord() -> FlightRecord {
        let ring = state.withLock { $0.ring }
        return FlightRecord(ring, name: name, now: time.now, takenAt: Date(time))
    }

    // MARK: Parts

    private func record(_ event: FlightEvent?, on link: UInt32, counted: ConnectionCounters = ConnectionCounters()) {
        let now = time.now
        state.withLock { state in
            if let event { state.ring.add(event, link: link, at: now) }
            state.counters.add(counted)
        }
        metrics?.add(counted)
    }

    private func count(_ change: (inout ConnectionCounters) -> Void) {
        var counted = ConnectionCounters()
        change(&counted)
        record(nil, on: 0, counted: counted)
        logRejections(counted, time.now)
    }

    private func logRejections(_ counted: ConnectionCounters, _ now: MonotonicInstant) {
        guard log.isOn, counted.accepted > 0 || !counted.rejections.isEmpty else { return }
        let (warning, line) = state.withLock { state in
            (
                state.alarm.add(accepted: counted.accepted, rejections: counted.rejections, now),
                counted.rejections.isEmpty || !log.showsRejections ? nil : state.rejections.add(counted.rejections, now)
            )
        }
        if let warning { log.rejectsMost(warning) }
        if let line { log.rejected(line) }
    }
}
