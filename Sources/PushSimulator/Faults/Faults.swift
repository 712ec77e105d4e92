import PushLocking

/// The fault rules of a running simulator, and a record of what they did.
///
/// Rules are evaluated in the order in which they were added, and all that apply take effect. They can be added and
/// removed at any time, from any thread. A change affects everything that is read from the network after the call
/// returned.
public final class Faults: Sendable {
    private struct Book {
        var orders = Orders()
        var lastRule = 0
        /// The push counts of the rules with an overall number.
        var overall: [FaultRule.ID: Int] = [:]
        var counts: [FaultRule.ID: Int] = [:]
        var names: [String: Int] = [:]
        var firings: [FaultFiring] = []
        /// The last rules that took effect as often as they may.
        var spent: [(id: FaultRule.ID, rule: FaultRule)] = []
    }

    /// How many firings are recorded.
    public static let mostFirings = 10_000

    private let book = Locked(Book())
    /// Notifies open connections that a rule with a time was added.
    private let onTimedRule = Locked<(@Sendable () -> Void)?>(nil)

    init() {}

    // MARK: Rules

    /// Appends a rule.
    @discardableResult
    public func add(_ rule: FaultRule) -> FaultRule.ID {
        let id = book.withLock { book in
            book.orders.version += 1
            book.lastRule += 1
            let id = FaultRule.ID(number: book.lastRule)
            book.orders.rules.append((id, rule))
            return id
        }
        if case .at = rule.trigger { onTimedRule.withLock { $0 }?() }
        return id
    }

    /// Removes a rule; what it did stays recorded. Does nothing if it has already ended.
    public func remove(_ id: FaultRule.ID) {
        change { $0.rules.removeAll { $0.id == id } }
        book.withLock { $0.overall[id] = nil }
    }

    /// Removes all rules.
    public func removeAll() {
        change { $0.rules.removeAll() }
        book.withLock {
            $0.overall = [:]
            $0.spent = []
        }
    }

    /// The active rules, in order. If a rule has a maximum number of times, `times` is what remains of it, and the rule
    /// is removed after the last time.
    public var rules: [FaultRule] { book.withLock { $0.orders.rules.map(\.rule) } }

    // MARK: What they did

    /// What the rules did, oldest first: the first 10,000 firings; later ones are only counted. A firing is recorded
    /// before its effect is visible, and is included in `Ledger.Snapshot.faults` as soon as the pushes that came with
    /// it are.
    public var firings: [FaultFiring] { book.withLock { $0.firings } }

    /// How often a rule took effect.
    public func count(of id: FaultRule.ID) -> Int { book.withLock { $0.counts[id] ?? 0 } }

    /// How often the rules with this name took effect.
    public func count(named name: String) -> Int { book.withLock { $0.names[name] ?? 0 } }

    // MARK: For the simulator

    var current: Orders { book.withLock { $0.orders } }

    /// The current orders, if they are newer than those of a connection.
    func newer(than version: Int) -> Orders? {
        book.withLock { $0.orders.version == version ? nil : $0.orders }
    }

    func change(_ body: (inout Orders) -> Void) {
        book.withLock { book in
            book.orders.version += 1
            body(&book.orders)
        }
    }

    func withBook<Result>(
        _ body: (Orders, [(id: FaultRule.ID, rule: FaultRule)], [FaultRule.ID: Int]) -> Result
    ) -> Result {
        book.withLock { body($0.orders, $0.spent, $0.counts) }
    }

    func forgetSpent(_ id: FaultRule.ID) { book.withLock { $0.spent.removeAll { $0.id == id } } }

    func whenTimedRuleComes(_ tell: @escaping @Sendable () -> Void) {
        onTimedRule.withLock { $0 = tell }
    }

    /// Called when all conditions that a connection can check hold. Returns whether the rule takes effect, and if so
    /// records it and counts it down.
    func fire(_ id: FaultRule.ID, _ moment: FaultMoment) -> Bool {
        book.withLock { book in
            guard let index = book.orders.rules.firstIndex(where: { $0.id == id }) else { return false }
            let rule = book.orders.rules[index].rule
            guard Self.isItsTurn(of: rule, id: id, overall: &book.overall), moment.isDrawn else { return false }
            if let times = rule.times {
                guard times > 0 else { return false }
                book.orders.version += 1
                if times == 1 {
                    book.spent = book.spent.suffix(Self.mostSpent - 1) + [book.orders.rules.remove(at: index)]
                    book.overall[id] = nil
                } else {
                    book.orders.rules[index].rule.times = times - 1
                }
            }
            Self.record(id, rule: rule, moment: moment, in: &book)
            return true
        }
    }

    private static func isItsTurn(
        of rule: FaultRule, id: FaultRule.ID, overall: inout [FaultRule.ID: Int]
    ) -> Bool {
        switch rule.trigger {
        case .overallPush(let wanted):
            overall[id, default: 0] += 1
            return overall[id] == wanted
        case .everyOverallPush(let divisor):
            overall[id, default: 0] += 1
            return divisor > 0 && (overall[id] ?? 0) % divisor == 0
        case .connecting, .connected, .at, .push, .pushNumber, .everyPush, .pushTo:
            return true
        }
    }

    private static func record(_ id: FaultRule.ID, rule: FaultRule, moment: FaultMoment, in book: inout Book) {
        book.counts[id, default: 0] += 1
        if let name = rule.name { book.names[name, default: 0] += 1 }
        guard book.firings.count < mostFirings else { return }
        book.firings.append(
            FaultFiring(
                rule: id, name: rule.name, connection: moment.connection, push: moment.push, stream: moment.stream,
                openPushes: moment.openPushes, time: moment.time))
    }
}
