import Dispatch
import ProcessRuntime
import PushCampaign
import PushLocking
import PushPacing
import PushTerminal
import SupervisedPush

/// Makes the pushes of a bench until it is stopped, and counts how they end.
///
/// In a closed loop each answer makes the next push. In an open loop the clock makes them, and a push's latency counts from when it
/// was due: a stall shows in every push that had to wait for it, also in those that a closed loop would not have made.
final class BenchLoad: Sendable {
    /// What is known of the pushes that have ended.
    struct Result: Sendable {
        var tally = Tally()
        /// Of the pushes that were answered.
        var latencies = LatencyHistogram()
        var credentialWasRefused = false
        /// From the start to the end of the last push.
        var seconds = 0.0
    }

    private struct State {
        var result = Result()
        var offered = 0
        var open = 0
        var isStopped = false
        /// Why it was stopped before its time was over.
        var why: RunEnding?
        var finished: CheckedContinuation<Void, Never>?
    }

    /// Nanoseconds between two wake-ups of the pacer.
    private static let step: UInt64 = 1_000_000

    private let connection: PushConnection
    private let work: BenchWork
    private let loop: BenchLoop
    private let state = Locked(State())
    private let stopwatch = Locked(Stopwatch())

    init(_ connection: PushConnection, work: BenchWork, loop: BenchLoop) {
        self.connection = connection
        self.work = work
        self.loop = loop
    }

    /// Pushes that have not ended.
    var inFlight: Int { state.withLock { $0.open } }
    var tally: Tally { state.withLock { $0.result.tally } }
    var result: Result { state.withLock { $0.result } }

    func start() {
        stopwatch.withLock { $0 = Stopwatch() }
        guard case .open(let perSecond) = loop else { return refill() }
        // A thread of its own: what is measured must not share threads with what measures.
        DispatchQueue(label: "pushctl.pacer", qos: .userInteractive).async { [self] in
            Pacer(interval: 1e9 / Double(perSecond), step: Self.step).run { _, due, _ in
                guard let number = reserve(upTo: .max) else { return false }
                push(number, since: due)
                return true
            }
        }
    }

    /// Makes no more pushes.
    ///
    /// - Parameter why: Nil if the time is over.
    func stop(_ why: RunEnding? = nil) {
        finish { state in
            if !state.isStopped { (state.isStopped, state.why) = (true, why) }
        }
    }

    /// Returns once it is stopped and every push has ended.
    func wait() async {
        await withCheckedContinuation { continuation in finish { $0.finished = continuation } }
    }

    /// In a closed loop: makes pushes in place of those that were refused. Such a push has no successor at once, or a connection that
    /// refuses everything would keep a core busy.
    func refill() {
        guard case .closed(let limit) = loop else { return }
        while let number = reserve(upTo: limit) { push(number, since: DispatchTime.now().uptimeNanoseconds) }
    }

    /// The next push's number; nil if there is to be none.
    private func reserve(upTo limit: Int) -> Int? {
        state.withLock { state in
            guard !state.isStopped, state.open < limit else { return nil }
            state.open += 1
            state.offered += 1
            return state.offered - 1
        }
    }

    private func push(_ number: Int, since begin: UInt64) {
        connection.push(work.notification, to: work.token(number)) { [self] outcome in ended(outcome, since: begin) }
    }

    private func ended(_ outcome: Swift.Result<PushResponse, PushError>, since begin: UInt64) {
        let now = DispatchTime.now().uptimeNanoseconds
        finish { state in
            state.open -= 1
            state.result.seconds = stopwatch.withLock { $0.seconds }
            state.result.note(outcome, nanoseconds: now - min(now, begin), state.why)
        }
        guard case .closed(let limit) = loop else { return }
        if case .failure(let error) = outcome, error.certainty == .notSent { return }
        if let number = reserve(upTo: limit) { push(number, since: now) }
    }

    /// Changes the state, and ends the waiting if that was the last push.
    private func finish(_ change: (inout State) -> Void) {
        let finished = state.withLock { state in
            change(&state)
            return state.isStopped && state.open == 0 ? state.finished.take() : nil
        }
        finished?.resume()
    }
}

extension BenchLoad.Result {
    /// - Parameter why: Why the load ended early, if it did.
    mutating func note(_ outcome: Result<PushResponse, PushError>, nanoseconds: UInt64, _ why: RunEnding?) {
        tally.count(OutcomeRow(outcome, attempts: 0, ending: why))
        switch outcome {
        case .success(let response):
            latencies.add(nanoseconds)
            if response.refusesCredential { credentialWasRefused = true }
        case .failure(let error):
            if error.code == .credentialRefused { credentialWasRefused = true }
        }
    }
}
