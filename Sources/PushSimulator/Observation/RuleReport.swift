/// A fault rule and what it did, for an observer.
package struct RuleReport: Sendable, Hashable {
    /// The number by which it is found.
    package let number: Int
    /// The rule. Its `times` are what remains of them.
    package let rule: FaultRule
    /// How often it took effect.
    package let fired: Int
    /// Whether it took effect as often as it may.
    package let isSpent: Bool
}

extension Faults {
    /// How many rules that have ended are remembered.
    static let mostSpent = 100

    /// The active rules, in order, and the last that took effect as often as they may.
    package var reports: [RuleReport] {
        withBook { orders, spent, counts in
            func report(_ id: FaultRule.ID, rule: FaultRule, isSpent: Bool) -> RuleReport {
                RuleReport(number: id.number, rule: rule, fired: counts[id] ?? 0, isSpent: isSpent)
            }
            let ended = spent.map { report($0.id, rule: $0.rule, isSpent: true) }
            return (ended + orders.rules.map { report($0.id, rule: $0.rule, isSpent: false) }).sorted {
                $0.number < $1.number
            }
        }
    }

    /// Removes the rule with this number, and forgets it. Returns false if there is none.
    package func remove(number: Int) -> Bool {
        guard reports.contains(where: { $0.number == number }) else { return false }
        let id = FaultRule.ID(number: number)
        forgetSpent(id)
        remove(id)
        return true
    }
}
