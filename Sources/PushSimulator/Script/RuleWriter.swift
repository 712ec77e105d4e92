import FoundationEssentials
import PushHTTP2

extension FaultRule {
    /// Reads and checks one rule of a script. It has no name unless the JSON gives one.
    ///
    /// - Throws: `configuration` with the key and what is allowed there.
    package init(json: [UInt8]) throws(SimulatorError) {
        self = try ScriptReader.rule(try ScriptValue.parse(json))
        try check()
    }

    /// The JSON of a rule of a script, which ``FaultScript/init(json:)`` reads as this rule. A selection of one connection
    /// by its id is written by its number.
    package var json: [UInt8] {
        // It encodes strings, finite numbers and lists of them.
        (try? JSONEncoder().encode(RuleWriter.rule(self))).map(Array.init) ?? Array("null".utf8)
    }
}

/// Writes rules as the JSON of a script: what ``ScriptReader`` reads.
enum RuleWriter {
    static func rule(_ rule: FaultRule) -> ScriptValue {
        var members: [String: ScriptValue] = ["when": trigger(rule.trigger), "then": FaultWriter.fault(rule.fault)]
        if rule.selection != .all { members["on"] = selection(rule.selection) }
        if let between = rule.between {
            members["between"] = .list([duration(between.lowerBound), duration(between.upperBound)])
        }
        if rule.probability < 1 { members["probability"] = .number(rule.probability) }
        if let times = rule.times { members["times"] = .integer(Int64(times)) }
        if let name = rule.name { members["name"] = .text(name) }
        return .object(members)
    }

    private static func trigger(_ trigger: FaultRule.Trigger) -> ScriptValue {
        switch trigger {
        case .connecting: .text("connecting")
        case .connected: .text("connected")
        case .at(let time): .object(["at": duration(time)])
        case .push: .text("push")
        case .pushNumber(let number): .object(["push": .integer(Int64(number))])
        case .everyPush(let number): .object(["everyPush": .integer(Int64(number))])
        case .overallPush(let number): .object(["overallPush": .integer(Int64(number))])
        case .everyOverallPush(let number): .object(["everyOverallPush": .integer(Int64(number))])
        case .pushTo(let digits): .object(["pushTo": .text(digits)])
        }
    }

    private static func selection(_ selection: ConnectionSelection) -> ScriptValue {
        switch selection {
        case .all: .text("all")
        case .only(let id): .object(["connection": .integer(Int64(id.number))])
        case .nth(let number): .object(["connection": .integer(Int64(number))])
        case .first(let number): .object(["first": .integer(Int64(number))])
        case .after(let number): .object(["after": .integer(Int64(number))])
        case .every(let number): .object(["every": .integer(Int64(number))])
        }
    }

    /// In milliseconds, with the fraction that they have.
    static func duration(_ duration: Duration) -> ScriptValue {
        let milliseconds = duration / .milliseconds(1)
        let whole = Int64(exactly: milliseconds)
        return .text((whole.map(String.init) ?? String(milliseconds)) + "ms")
    }
}
