/// Reads the JSON form of a script. Unknown keys are errors: a rehearsal that silently omits a fault proves nothing.
enum ScriptReader {
    static func script(_ bytes: [UInt8]) throws(SimulatorError) -> FaultScript {
        let whole = ScriptNode(value: try ScriptValue.parse(bytes), path: "", rule: "")
        guard case .object = whole.value else {
            throw SimulatorError(.configuration, "The script must be an object with the key \"rules\".")
        }
        let members = try ScriptNode(value: whole.value, path: "the script", rule: "").object([
            "seed", "rules", "metrics",
        ])
        guard let list = members["rules"], case .list(let values) = list.value else {
            throw SimulatorError(.configuration, "The script must have the key \"rules\", a list of rules.")
        }
        var script = FaultScript(rules: [])
        if case .object(let plain) = whole.value, let seed = plain["seed"] {
            script.seed = UInt64(try whole.child("seed", seed).integer())
        }
        if case .object(let plain) = whole.value, let metrics = plain["metrics"] {
            script.metrics = try MetricsScript(whole.child("metrics", metrics))
        }
        for (index, value) in values.enumerated() {
            script.rules.append(
                try rule(ScriptNode(value: value, path: "", rule: "rule \(index + 1): "), name: "rule \(index + 1)"))
        }
        return script
    }

    /// One rule, without a script around it.
    static func rule(_ value: ScriptValue) throws(SimulatorError) -> FaultRule {
        try rule(ScriptNode(value: value, path: "", rule: "rule: "), name: nil)
    }

    private static func rule(_ node: ScriptNode, name given: String?) throws(SimulatorError) -> FaultRule {
        guard case .object = node.value else { throw node.wrong("an object") }
        let members = try node.object(["name", "when", "on", "between", "probability", "times", "then"])
        guard let when = members["when"] else { throw node.failure("needs the key \"when\".") }
        guard let then = members["then"] else { throw node.failure("needs the key \"then\".") }
        var rule = FaultRule(try trigger(when), try FaultReader.fault(then), name: given)
        if let name = members["name"] { rule.name = try name.text() }
        if let on = members["on"] { rule.selection = try selection(on) }
        if let times = members["times"] { rule.times = try times.integer(1 ... .max) }
        if let probability = members["probability"] { rule.probability = try probability.number() }
        if let between = members["between"] {
            let (from, to) = try between.durations()
            guard from < to else { throw between.failure("must have the earlier time first.") }
            rule.between = from..<to
        }
        return rule
    }

    private static func trigger(_ node: ScriptNode) throws(SimulatorError) -> FaultRule.Trigger {
        let (name, value) = try node.choice(
            ["connecting", "connected", "push"],
            ["at", "push", "everyPush", "overallPush", "everyOverallPush", "pushTo"])
        guard let value else {
            return name == "push" ? .push : name == "connected" ? .connected : .connecting
        }
        switch name {
        case "at": return .at(try value.duration())
        case "pushTo": return .pushTo(try value.text())
        case "push": return .pushNumber(try value.integer(1 ... .max))
        case "everyPush": return .everyPush(try value.integer(1 ... .max))
        case "overallPush": return .overallPush(try value.integer(1 ... .max))
        default: return .everyOverallPush(try value.integer(1 ... .max))
        }
    }

    private static func selection(_ node: ScriptNode) throws(SimulatorError) -> ConnectionSelection {
        let (name, value) = try node.choice(["all"], ["connection", "first", "after", "every"])
        guard let value else { return .all }
        switch name {
        case "connection": return .nth(try value.integer(1 ... .max))
        case "first": return .first(try value.integer(1 ... .max))
        case "after": return .after(try value.integer())
        default: return .every(try value.integer(1 ... .max))
        }
    }
}
