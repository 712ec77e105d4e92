import Dispatch
import Glibc
import PushLocking
import PushPacing
import SupervisedPush

/// Pushes by the clock, whether answers come or not; a push's latency counts from when it was due, so that a stall shows
/// in every push that had to wait for it.
final class PacedLoad: PacedWork, Sendable {
    /// What became of the pushes of a run.
    struct Result {
        /// Of those that were accepted, in microseconds, in the order of the answers.
        var latencies: [Double] = []
        /// How late each push was made, in microseconds.
        var lateness: [Double] = []
        var tally = Tally()

        static func += (one: inout Result, other: Result) {
            one.latencies += other.latencies
            one.lateness += other.lateness
            one.tally = one.tally + other.tally
        }
    }

    private struct State {
        var latencies: [Double] = []
        var lateness: [Double] = []
        var tally = Tally()
        var open = 0
        var finished: CheckedContinuation<Void, Never>?
    }

    /// At full load: how many pushes are called between two looks at how many are open.
    private static let stride = 64

    private let target: LoadTarget
    private let step: UInt64
    private let state = Locked(State())

    /// - Parameter step: nanoseconds between two wake-ups of the pacer, as in ``Pacer``.
    init(_ target: LoadTarget, step: UInt64 = 0) {
        self.target = target
        self.step = step
    }

    func fullLoad(about perSecond: Double) async -> Double {
        let start = Usage()
        let tally = await runFull(max(1, Int(perSecond / 2)), inFlight: 1_000)
        return max(1, start.values(of: tally.accepted)["pushes_per_s"] ?? 1)
    }

    func run(perSecond: Double, seconds: Double) async -> Result {
        let count = max(1, Int(perSecond * seconds))
        return await run(count) { [self] in
            var lateness: [Double] = []
            lateness.reserveCapacity(count)
            Pacer(interval: 1e9 / perSecond, step: step).run(count) { number, due, found in
                lateness.append(Self.microseconds(from: due, to: found))
                push(number, due: due)
                return true
            }
            return lateness
        }
    }

    /// The full load of such pushes: as many as can be answered, with the same bookkeeping.
    ///
    /// While enough pushes wait, the thread that calls sleeps for a millisecond, as a ``Pacer`` does between two wake-ups.
    ///
    /// - Parameter inFlight: How many a connection has in flight; three times as many wait.
    func runFull(_ count: Int, inFlight: Int) async -> Tally {
        await run(count) { [self] in
            var now: UInt64 = 0
            for number in 0..<count {
                if number % Self.stride == 0 {
                    while number - (count + 1 - state.withLock { $0.open }) >= inFlight * 4 { usleep(1_000) }
                    now = DispatchTime.now().uptimeNanoseconds
                }
                push(number, due: now)
            }
            return []
        }
        .tally
    }

    /// - Parameter calls: Makes `count` pushes, and returns how late each was.
    private func run(_ count: Int, _ calls: @escaping @Sendable () -> [Double]) async -> Result {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                // One more than the pushes: the thread that calls ends, too.
                state = State(open: count + 1, finished: continuation)
                state.latencies.reserveCapacity(count)
            }
            DetachedThread.start { [self] in
                let lateness = calls()
                close { $0.lateness = lateness }
            }
        }
        return state.withLock { Result(latencies: $0.latencies, lateness: $0.lateness, tally: $0.tally) }
    }

    private func push(_ number: Int, due: UInt64) {
        target.push(number) { [self] outcome in ended(outcome, due) }
    }

    private func ended(_ outcome: Swift.Result<PushResponse, PushError>, _ due: UInt64) {
        let latency = Self.microseconds(since: due)
        close { state in
            state.tally.note(outcome)
            if case .success = outcome { state.latencies.append(latency) }
        }
    }

    /// From one moment of Dispatch's uptime to a later one; 0 if it is not later.
    static func microseconds(from due: UInt64, to later: UInt64) -> Double { Double(later - min(later, due)) / 1e3 }

    static func microseconds(since due: UInt64) -> Double {
        microseconds(from: due, to: DispatchTime.now().uptimeNanoseconds)
    }

    /// Notes that one push has ended, or the pacer.
    private func close(_ note: (inout State) -> Void) {
        let finished = state.withLock { state in
            note(&state)
            state.open -= 1
            return state.open == 0 ? state.finished : nil
        }
        finished?.resume()
    }
}
