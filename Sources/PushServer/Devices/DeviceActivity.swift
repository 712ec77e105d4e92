/// The Live Activity of a device token. Times are milliseconds since 1970 unless said otherwise.
///
/// It is updated for at most eight hours, then the system ends it. An ended one stays on the lock screen until its
/// dismissal date, for at most four hours.
struct DeviceActivity: Sendable, Hashable {
    /// How long it is updated, in milliseconds.
    static let activeTime: Int64 = 8 * 3_600_000
    /// How long an ended one stays, in milliseconds.
    static let endedTime: Int64 = 4 * 3_600_000

    /// The push with its state.
    private(set) var number: Int
    /// Seconds since 1970.
    private(set) var timestamp: Int64
    private(set) var isEnded = false
    /// Whether it has left the lock screen.
    private(set) var isGone = false
    /// When the system ends it.
    private let activeUntil: Int64
    /// When it leaves the lock screen.
    private(set) var leavesAt: Int64
    /// From when on its state is out of date, in seconds since 1970.
    private(set) var stale: Int64?

    init(number: Int, _ change: ActivityChange, now: Int64) {
        self.number = number
        timestamp = change.timestamp
        stale = change.stale
        activeUntil = now + Self.activeTime
        leavesAt = now + Self.activeTime + Self.endedTime
    }

    /// When it changes by itself; nil if it does not.
    var nextDue: Int64? { isGone ? nil : isEnded ? leavesAt : activeUntil }

    /// An update or its end.
    mutating func follow(_ change: ActivityChange, number: Int, now: Int64) {
        self.number = number
        timestamp = change.timestamp
        stale = change.stale
        guard change.event == .end else { return }
        isEnded = true
        let latest = now + Self.endedTime
        let dismissal = change.dismissal.flatMap { date -> Int64? in
            let (milliseconds, overflow) = date.multipliedReportingOverflow(by: 1_000)
            return overflow ? nil : milliseconds
        }
        leavesAt = dismissal.map { min($0, latest) } ?? latest
        isGone = leavesAt <= now
    }

    mutating func advance(to now: Int64) {
        if activeUntil <= now { isEnded = true }
        if leavesAt <= now { isGone = true }
    }
}
