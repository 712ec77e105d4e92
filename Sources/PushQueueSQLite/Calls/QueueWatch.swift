import Dispatch
import PushLocking
import PushQueue

/// One task that waits for work.
final class QueueWaiter: Sendable {
    let end: DispatchTime
    private let cancelled = Locked(false)

    init(upTo time: Duration) {
        // A day is longer than any wait makes sense; it keeps the sum in range.
        let milliseconds = max(0, min(time / .milliseconds(1), 86_400_000))
        end = .now() + .milliseconds(Int(milliseconds.rounded(.up)))
    }

    var isCancelled: Bool { cancelled.withLock { $0 } }

    func cancel() { cancelled.withLock { $0 = true } }
}

/// Those who wait for work, and when to look for it.
///
/// SQLite tells no process of another's changes. So a look is repeated, at first every 50 ms, later every 250 ms.
struct QueueWatch {
    private var waiters: [(waiter: QueueWaiter, handOver: HandOver<Result<Void, QueueError>>)] = []
    private var milliseconds = Self.shortest
    private var timer: (number: Int, time: DispatchTime)?
    private var timers = 0

    private static let shortest = 50
    private static let longest = 250

    var isEmpty: Bool { waiters.isEmpty }

    mutating func add(_ waiter: QueueWaiter, handOver: HandOver<Result<Void, QueueError>>) {
        waiters.append((waiter, handOver))
        milliseconds = Self.shortest
    }

    mutating func endThoseOver(_ now: DispatchTime) {
        waiters.removeAll { waiter, handOver in
            guard waiter.isCancelled || waiter.end <= now else { return false }
            handOver.resume(returning: .success(()))
            return true
        }
    }

    mutating func endAll(_ result: Result<Void, QueueError>) {
        for (_, handOver) in waiters { handOver.resume(returning: result) }
        waiters = []
    }

    /// When to look again; nil if there is a timer for that.
    ///
    /// - Parameter due: When there will be work without a change of the file, in milliseconds from now; nil for never.
    mutating func nextTimer(_ due: Int64?, _ now: DispatchTime) -> (number: Int, time: DispatchTime)? {
        let next = now + .milliseconds(min(milliseconds, Int(clamping: due ?? .max)))
        let time = waiters.reduce(next) { min($0, $1.waiter.end) }
        if let timer, timer.time <= time { return nil }
        timers += 1
        timer = (timers, time)
        return timer
    }

    /// Whether the timer that fired is the present one, and not one that another has replaced.
    mutating func fire(_ number: Int) -> Bool {
        guard timer?.number == number else { return false }
        timer = nil
        milliseconds = min(Self.longest, milliseconds * 3 / 2)
        return true
    }
}
