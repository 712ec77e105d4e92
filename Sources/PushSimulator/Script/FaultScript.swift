/// A rehearsal that is written down: rules, and the seed of their chances. As Swift values, or as JSON for `pushctl simulate --script`.
public struct FaultScript: Sendable, Hashable {
    /// Seeds what is drawn, instead of the configuration's seed; nil leaves that.
    public var seed: UInt64?
    /// The rules, in the order in which they are looked at.
    public var rules: [FaultRule]

    /// A script of these rules.
    public init(seed: UInt64? = nil, rules: [FaultRule]) {
        self.seed = seed
        self.rules = rules
    }

    /// Reads the JSON form, described in `docs/simulator-script.md`, and checks it. A rule without a name is called `rule 1`, `rule 2` … by
    /// its place.
    ///
    /// - Throws: `configuration` with the rule, the key, and what is allowed there.
    public init(json: some Sequence<UInt8>) throws(SimulatorError) {
        self = try ScriptReader.script(Array(json))
        try check()
    }

    /// Finds what can never happen as it stands.
    ///
    /// - Throws: `configuration` with the rule and what is wrong with it.
    public func check() throws(SimulatorError) {
        for (index, rule) in rules.enumerated() {
            guard let objection = rule.objection else { continue }
            throw SimulatorError(.configuration, "rule \(index + 1): \(objection.sentence)")
        }
    }
}
