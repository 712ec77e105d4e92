import PushPacing

/// Requests by the clock that only the machine can delay: between two sessions in memory, on one thread.
///
/// A connection on the same core is delayed by what delays these.
final class BareLoop: PacedWork {
    /// Requests that are due together.
    private static let burst = 32

    private let step: UInt64
    private var path: RequestPath

    /// - Parameter step: nanoseconds between two wake-ups of the pacer, as in ``Pacer``.
    init(_ work: Work, step: UInt64) throws {
        self.step = step
        path = try RequestPath(work, burst: Self.burst)
    }

    func fullLoad(about perSecond: Double) throws -> Double {
        let start = Usage()
        let bursts = max(1, Int(perSecond / 2) / Self.burst)
        for _ in 0..<bursts { try path.burst() }
        return max(1, start.values(of: bursts * Self.burst)["pushes_per_s"] ?? 1)
    }

    /// Each burst counts once in the latencies: all of its requests end together.
    func run(perSecond: Double, seconds: Double) throws -> PacedLoad.Result {
        var result = PacedLoad.Result()
        var failure: (any Error)?
        let interval = 1e9 * Double(Self.burst) / perSecond
        Pacer(interval: interval, step: step).run(max(1, Int(1e9 * seconds / interval))) { _, due, found in
            do { try path.burst() } catch { failure = error }
            result.lateness.append(PacedLoad.microseconds(from: due, to: found))
            result.latencies.append(PacedLoad.microseconds(since: due))
            result.tally.note(accepted: Self.burst)
            return failure == nil
        }
        if let failure { throw failure }
        return result
    }
}
