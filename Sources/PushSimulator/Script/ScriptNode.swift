/// A value in a script and its path, so that errors can name it.
struct ScriptNode {
    let value: ScriptValue
    /// The keys that lead to it, such as `then.goAway.reason`; empty for a whole rule or script.
    let path: String
    /// `rule 3: `, or empty outside the rules.
    let rule: String

    func failure(_ problem: String) -> SimulatorError {
        SimulatorError(.configuration, rule + (path.isEmpty ? "" : path + " ") + problem)
    }

    func wrong(_ wanted: String) -> SimulatorError { failure("must be \(wanted), but is \(value.kind).") }

    func child(_ key: String, _ value: ScriptValue) -> ScriptNode {
        ScriptNode(value: value, path: path.isEmpty ? key : path + "." + key, rule: rule)
    }

    // MARK: Objects

    /// Reads an object that has only these keys.
    func object(_ allowed: [String]) throws(SimulatorError) -> [String: ScriptNode] {
        guard case .object(let members) = value else { throw wrong("an object") }
        var nodes: [String: ScriptNode] = [:]
        for (key, value) in members {
            guard allowed.contains(key) else {
                throw failure(
                    "has the unknown key \"\(Self.shown(key))\"; known are \(allowed.joined(separator: ", ")).")
            }
            nodes[key] = child(key, value)
        }
        return nodes
    }

    /// Reads one of several cases: a string for a case without a value, an object with one key for a case with one.
    func choice(_ plain: [String], _ valued: [String]) throws(SimulatorError) -> (name: String, node: ScriptNode?) {
        let allowed = (plain.map { "\"\($0)\"" } + valued.map { "{\"\($0)\": …}" }).joined(separator: ", ")
        switch value {
        case .text(let name):
            guard plain.contains(name) else {
                throw failure("is \"\(Self.shown(name))\"; allowed are \(allowed).")
            }
            return (name, nil)
        case .object(let members):
            guard members.count == 1, let (name, value) = members.first else {
                throw failure("must have exactly one key; allowed are \(allowed).")
            }
            guard valued.contains(name) else {
                throw failure("has the unknown key \"\(Self.shown(name))\"; allowed are \(allowed).")
            }
            return (name, child(name, value))
        case .null, .bool, .integer, .number, .list:
            throw wrong("one of \(allowed)")
        }
    }

    // MARK: Values

    func text() throws(SimulatorError) -> String {
        guard case .text(let text) = value else { throw wrong("a string") }
        return text
    }

    func bool() throws(SimulatorError) -> Bool {
        guard case .bool(let bool) = value else { throw wrong("true or false") }
        return bool
    }

    func integer(_ range: ClosedRange<Int64> = 0 ... .max) throws(SimulatorError) -> Int {
        let wanted =
            range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
        guard case .integer(let number) = value else { throw wrong("a whole number, \(wanted)") }
        guard range.contains(number) else { throw failure("is \(number), but must be \(wanted).") }
        return Int(number)
    }

    func number() throws(SimulatorError) -> Double {
        switch value {
        case .integer(let number): return Double(number)
        case .number(let number): return number
        default: throw wrong("a number")
        }
    }

    func oneOf<Case: RawRepresentable & CaseIterable>(
        _: Case.Type
    ) throws(SimulatorError) -> Case where Case.RawValue == String {
        let allowed = Case.allCases.map(\.rawValue).joined(separator: ", ")
        guard case .text(let name) = value else { throw wrong("one of \(allowed)") }
        guard let found = Case(rawValue: name) else {
            throw failure("is \"\(Self.shown(name))\"; allowed are \(allowed).")
        }
        return found
    }

    /// A time such as `250ms`, `1.5s`, `2min` or `1h`.
    func duration() throws(SimulatorError) -> Duration {
        let wanted = "a time such as \"250ms\", \"10s\", \"2min\" or \"1h\""
        guard case .text(let text) = value else { throw wrong(wanted) }
        for (unit, milliseconds) in [("ms", 1.0), ("min", 60_000), ("s", 1000), ("h", 3_600_000)] {
            guard text.hasSuffix(unit), let count = Double(text.dropLast(unit.count)), count.isFinite else { continue }
            let total = count * milliseconds
            guard total >= 0, total <= 1e12 else { break }
            return .microseconds(Int64((total * 1000).rounded()))
        }
        throw failure("is \"\(Self.shown(text))\", but must be \(wanted).")
    }

    /// Two times, the earlier first.
    func durations() throws(SimulatorError) -> (Duration, Duration) {
        guard case .list(let list) = value, list.count == 2 else { throw wrong("a list of two times") }
        return (try child("0", list[0]).duration(), try child("1", list[1]).duration())
    }

    /// The user's text, shortened and without control characters.
    private static func shown(_ text: String) -> String {
        let short = String(text.unicodeScalars.prefix(40).map { $0.value < 32 ? " " : Character($0) })
        return text.unicodeScalars.count > 40 ? short + "…" : short
    }
}
