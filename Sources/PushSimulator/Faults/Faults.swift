import Locking

/// The script of a rehearsal: the rules by which a running simulator does wrong.
///
/// Rules are looked at in the order in which they were added, and all that apply take effect. They can be added and removed at any time,
/// from any thread; a change holds for everything that is read from the network after the call returned.
public final class Faults: Sendable {
    private let orders = Locked(Orders())

    init() {}

    /// Adds a rule behind the others.
    @discardableResult
    public func add(_ rule: FaultRule) -> FaultRule.ID {
        orders.withLock { orders in
            orders.version += 1
            let id = FaultRule.ID(number: orders.version)
            orders.rules.append((id, rule))
            return id
        }
    }

    /// Removes a rule; what it did stays done. Does nothing where it has already ended.
    public func remove(_ id: FaultRule.ID) {
        change { $0.rules.removeAll { $0.id == id } }
    }

    /// Removes all rules.
    public func removeAll() {
        change { $0.rules.removeAll() }
    }

    /// The rules in force, in order. A rule with a number of times has what is left of it, and is gone with the last.
    public var rules: [FaultRule] { orders.withLock { $0.rules.map(\.rule) } }

    var current: Orders { orders.withLock { $0 } }

    /// The orders, where they differ from the ones a connection knows.
    func newer(than version: Int) -> Orders? {
        orders.withLock { $0.version == version ? nil : $0 }
    }

    func change(_ body: (inout Orders) -> Void) {
        orders.withLock { orders in
            orders.version += 1
            body(&orders)
        }
    }

    /// Takes one time of a limited rule; false where none is left.
    func spend(_ id: FaultRule.ID) -> Bool {
        orders.withLock { orders in
            guard let index = orders.rules.firstIndex(where: { $0.id == id }) else { return false }
            guard let times = orders.rules[index].rule.times else { return true }
            guard times > 0 else { return false }
            orders.version += 1
            if times == 1 { orders.rules.remove(at: index) } else { orders.rules[index].rule.times = times - 1 }
            return true
        }
    }
}
