import ProcessRuntime

/// The rules from the viewpoint of one connection: which take effect when it is established and at its pushes, and
/// which wait for a time.
struct ConnectionRules {
    struct Entry {
        let id: FaultRule.ID
        let rule: FaultRule
    }

    /// Called when all conditions that a connection can check hold. Returns whether the rule takes effect, and counts
    /// it down.
    typealias Fire = (FaultRule.ID, FaultMoment) -> Bool

    private let connection: ConnectionID
    private let seed: UInt64
    private var entries: [Entry] = []
    /// The rules that wait for a time, latest first, so that the next one due is the last element.
    private var timed: [(due: Int64, entry: Entry)] = []
    /// The time up to which timed rules were evaluated.
    private var lookedAt: Int64
    private var start: Int64 = 0

    init(_ connection: ConnectionID, seed: UInt64, now: Int64) {
        self.connection = connection
        self.seed = seed
        lookedAt = now
    }

    var isEmpty: Bool { entries.isEmpty }

    /// When the next timed rule is due.
    var nextDue: Int64? { timed.last?.due }

    /// Adopts the current orders.
    mutating func follow(_ orders: Orders) {
        start = orders.start
        entries = orders.rules.compactMap { id, rule in
            rule.selection.includes(connection) ? Entry(id: id, rule: rule) : nil
        }
        timed = entries.compactMap { entry -> (due: Int64, entry: Entry)? in
            guard case .at(let time) = entry.rule.trigger else { return nil }
            let due = start.saturatingAdd(time.saturatedNanoseconds)
            return due >= lookedAt ? (due, entry) : nil
        }
        // Of two rules due at the same instant, the earlier one runs first, so it must be nearer to the end.
        if timed.count > 1 { timed = timed.reversed().sorted { $0.due > $1.due } }
    }

    /// The rules for an established connection.
    var forConnected: [Entry] { entries.filter { $0.rule.trigger == .connected } }

    /// Removes and returns the next due rule.
    mutating func takeDue(_ now: Int64) -> Entry? {
        guard let next = timed.last, next.due <= now else {
            lookedAt = max(lookedAt, now.saturatingAdd(1))
            return nil
        }
        timed.removeLast()
        return next.entry
    }

    /// Whether a rule that is not triggered by a push takes effect.
    func takesEffect(_ entry: Entry, _ now: Int64, open: Int, _ fire: Fire) -> Bool {
        let time = Duration.nanoseconds(now - start)
        guard entry.rule.holds(at: time),
            entry.rule.isDrawn(entry.id, seed: seed, connection: connection, event: 0)
        else { return false }
        return fire(entry.id, FaultMoment(connection: connection, openPushes: open, time: time))
    }

    /// The faults that take effect at the push with this number.
    func faults(
        for request: PushRequest, _ stream: Int32, number: Int, open: Int, _ now: Int64, _ fire: Fire
    ) -> [Fault] {
        let time = Duration.nanoseconds(now - start)
        return entries.compactMap { entry in
            guard entry.rule.applies(to: request, number: number), entry.rule.holds(at: time) else { return nil }
            let isDrawn = entry.rule.isDrawn(entry.id, seed: seed, connection: connection, event: number)
            // A rule with an overall number counts this push, whatever the draw.
            guard isDrawn || entry.rule.countsOverall else { return nil }
            let moment = FaultMoment(
                connection: connection, push: number, stream: stream, openPushes: open, time: time, isDrawn: isDrawn)
            return fire(entry.id, moment) ? entry.rule.fault : nil
        }
    }
}

extension Int64 {
    func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
