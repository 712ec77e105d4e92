/// A written rehearsal: rules and the seed of their random draws, as Swift values or as JSON for `pushctl simulate
/// --script`.
public struct FaultScript: Sendable, Hashable {
    /// The seed, instead of that of the configuration; nil keeps the latter.
    public var seed: UInt64?
    /// The rules, in the order in which they are evaluated.
    public var rules: [FaultRule]
    /// What the export of metrics does, if there is one; nil leaves it as it is configured.
    public var metrics: MetricsScript?

    /// Creates a script from rules.
    public init(seed: UInt64? = nil, rules: [FaultRule], metrics: MetricsScript? = nil) {
        self.seed = seed
        self.rules = rules
        self.metrics = metrics
    }

    /// Reads and checks the JSON form, which `docs/simulator-script.md` describes. A rule without a name is called
    /// `rule 1`, `rule 2` … by its position.
    ///
    /// - Throws: `configuration` with the rule, the key, and what is allowed there.
    public init(json: some Sequence<UInt8>) throws(SimulatorError) {
        self = try ScriptReader.script(Array(json))
        try check()
    }

    /// Throws if a rule can never take effect.
    ///
    /// - Throws: `configuration` with the rule and what is wrong with it.
    public func check() throws(SimulatorError) {
        for (index, rule) in rules.enumerated() {
            guard let objection = rule.objection else { continue }
            throw SimulatorError(.configuration, "rule \(index + 1): \(objection.sentence)")
        }
    }
}
