import PushLocking

/// The script of a rehearsal: the rules by which a running simulator does wrong, and what they did.
///
/// Rules are looked at in the order in which they were added, and all that apply take effect. They can be added and removed at any time,
/// from any thread; a change holds for everything that is read from the network after the call returned.
public final class Faults: Sendable {
    private struct Book {
        var orders = Orders()
        var lastRule = 0
        /// What the rules with an overall number have counted.
        var overall: [FaultRule.ID: Int] = [:]
        var counts: [FaultRule.ID: Int] = [:]
        var names: [String: Int] = [:]
        var firings: [FaultFiring] = []
    }

    /// How many firings are kept whole.
    public static let mostFirings = 10_000

    private let book = Locked(Book())
    /// Tells open connections that a rule waits for a time of its own.
    private let onTimedRule = Locked<(@Sendable () -> Void)?>(nil)

    init() {}

    // MARK: Rules

    /// Adds a rule behind the others.
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

    /// Removes a rule; what it did stays done. Does nothing where it has already ended.
    public func remove(_ id: FaultRule.ID) {
        change { $0.rules.removeAll { $0.id == id } }
        book.withLock { $0.overall[id] = nil }
    }

    /// Removes all rules.
    public func removeAll() {
        change { $0.rules.removeAll() }
        book.withLock { $0.overall = [:] }
    }

    /// The rules in force, in order. A rule with a number of times has what is left of it, and is gone with the last.
    public var rules: [FaultRule] { book.withLock { $0.orders.rules.map(\.rule) } }

    // MARK: What they did

    /// What the rules did, oldest first, 10,000 times at most; what comes later is only counted. A firing is here before anybody can see what
    /// it did, and in `Ledger.Snapshot.faults` when the pushes that came with it are.
    public var firings: [FaultFiring] { book.withLock { $0.firings } }

    /// How often a rule took effect.
    public func count(of id: FaultRule.ID) -> Int { book.withLock { $0.counts[id] ?? 0 } }

    /// How often the rules of this name took effect.
    public func count(named name: String) -> Int { book.withLock { $0.names[name] ?? 0 } }

    // MARK: For the simulator

    var current: Orders { book.withLock { $0.orders } }

    /// The orders, where they differ from the ones a connection knows.
    func newer(than version: Int) -> Orders? {
        book.withLock { $0.orders.version == version ? nil : $0.orders }
    }

    func change(_ body: (inout Orders) -> Void) {
        book.withLock { book in
            book.orders.version += 1
            body(&book.orders)
        }
    }

    func whenTimedRuleComes(_ tell: @escaping @Sendable () -> Void) {
        onTimedRule.withLock { $0 = tell }
    }

    /// Everything a connection can tell speaks for the rule: true where it takes effect, which is noted, and takes one time of it.
    func fire(_ id: FaultRule.ID, _ moment: FaultMoment) -> Bool {
        book.withLock { book in
            guard let index = book.orders.rules.firstIndex(where: { $0.id == id }) else { return false }
            let rule = book.orders.rules[index].rule
            guard Self.isItsTurn(rule, id, &book.overall), moment.isDrawn else { return false }
            if let times = rule.times {
                guard times > 0 else { return false }
                book.orders.version += 1
                if times == 1 {
                    book.orders.rules.remove(at: index)
                    book.overall[id] = nil
                } else {
                    book.orders.rules[index].rule.times = times - 1
                }
            }
            Self.note(id, rule, moment, &book)
            return true
        }
    }

    private static func isItsTurn(
        _ rule: FaultRule, _ id: FaultRule.ID, _ overall: inout [FaultRule.ID: Int]
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

    private static func note(_ id: FaultRule.ID, _ rule: FaultRule, _ moment: FaultMoment, _ book: inout Book) {
        book.counts[id, default: 0] += 1
        if let name = rule.name { book.names[name, default: 0] += 1 }
        guard book.firings.count < mostFirings else { return }
        book.firings.append(
            FaultFiring(
                rule: id, name: rule.name, connection: moment.connection, push: moment.push, stream: moment.stream,
                openPushes: moment.openPushes, time: moment.time))
    }
}
