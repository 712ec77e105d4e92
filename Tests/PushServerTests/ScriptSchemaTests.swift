import Foundation
import PushHTTP2
import SupervisedPush
import Testing

@testable import PushServer
@testable import PushSimulator

/// The JSON Schema of a script says what its reader says.
@Suite("The schema of a script") struct ScriptSchemaTests {
    private static func file(_ path: String) throws -> Data {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try Data(contentsOf: root.appendingPathComponent(path))
    }

    private static func definitions() throws -> JSONValue {
        let schema = try parsed(Array(file("docs/simulator-script.schema.json")))
        return try #require(schema["$defs"])
    }

    /// The names that the error of a reader lists.
    private static func names(inErrorOf rule: String) throws -> Set<String> {
        let error = #expect(throws: SimulatorError.self) { try FaultRule(json: Array(rule.utf8)) }
        let text = try #require(error?.description)
        let list = try #require(
            text.firstRange(of: "known are ")?.upperBound ?? text.firstRange(of: "allowed are ")?.upperBound, "\(text)")
        let words = text[list...].split(separator: ",").map { word in
            word.trimmingCharacters(in: CharacterSet(charactersIn: " .{}\":…"))
        }
        return Set(words).subtracting(["a number and NO_ERROR"])
    }

    /// The names of a definition: keys of an object, or the cases of a choice.
    private static func names(in definition: JSONValue?) throws -> Set<String> {
        let definition = try #require(definition)
        if case .object(let members)? = definition["properties"] { return Set(members.keys) }
        if case .array(let values)? = definition["enum"] { return Set(values.compactMap(\.stringValue)) }
        guard case .array(let choices)? = definition["anyOf"] else { return [] }
        return try choices.reduce(into: []) { $0.formUnion(try names(in: $1)) }
    }

    @Test(arguments: [
        ("rule", #"{"x":1}"#), ("trigger", #"{"when":"x","then":"hold"}"#),
        ("selection", #"{"when":"push","on":"x","then":"hold"}"#),
        ("fault", #"{"when":"push","then":"x"}"#), ("goAway", #"{"when":"push","then":{"goAway":{"x":1}}}"#),
        ("settings", #"{"when":"push","then":{"settings":{"x":1}}}"#),
        ("window", #"{"when":"push","then":{"window":{"x":1}}}"#),
        ("windowUpdate", #"{"when":"push","then":{"windowUpdate":{"x":1}}}"#),
        ("halfAnswer", #"{"when":"push","then":{"halfAnswer":{"x":1}}}"#),
        ("malformation", #"{"when":"push","then":{"malformedAnswer":"x"}}"#),
        ("lateFrame", #"{"when":"push","then":{"afterAnswer":"x"}}"#),
        ("flood", #"{"when":"push","then":{"flood":{"x":1}}}"#),
        ("cut", #"{"when":"push","then":{"cut":"x"}}"#), ("refusal", #"{"when":"push","then":{"refuse":"x"}}"#),
        ("scope", #"{"when":"push","then":{"window":{"pace":"prompt","of":"x"}}}"#),
    ])
    func hasEachNameThatTheReaderKnows(_ definition: String, _ rule: String) throws {
        #expect(try Self.names(in: Self.definitions()[definition]) == Self.names(inErrorOf: rule))
    }

    @Test(arguments: [
        ("goAway", "ending", #"{"when":"push","then":{"goAway":{"ending":"x"}}}"#),
        ("window", "pace", #"{"when":"push","then":{"window":{"pace":"x"}}}"#),
        ("halfAnswer", "extent", #"{"when":"push","then":{"halfAnswer":{"extent":"x"}}}"#),
        ("halfAnswer", "ending", #"{"when":"push","then":{"halfAnswer":{"ending":"x"}}}"#),
        ("flood", "kind", #"{"when":"push","then":{"flood":{"kind":"x"}}}"#),
    ])
    func hasEachCaseOfAMember(_ definition: String, _ member: String, _ rule: String) throws {
        let found = try Self.definitions()[definition]?["properties"]?[member]
        #expect(try Self.names(in: found) == Self.names(inErrorOf: rule))
    }

    @Test func hasEachFaultAndCode() throws {
        let definitions = try Self.definitions()
        #expect(try Self.names(in: definitions["fault"]) == Set(FaultReader.plain.keys).union(FaultReader.valued))
        #expect(try Self.names(in: definitions["errorCode"]) == Set(HTTP2ErrorCode.names))
        guard case .array(let choices)? = definitions["fault"]?["anyOf"] else {
            Issue.record("no faults")
            return
        }
        func cases(_ name: String) throws -> Set<String> {
            try Self.names(in: choices.lazy.compactMap { $0["properties"]?[name] }.first)
        }
        #expect(try cases("brokenFrame") == Set(BrokenFrame.allCases.map(\.rawValue)))
        #expect(try cases("tls") == Set(TLSFault.allCases.map(\.rawValue)))
    }

    @Test func hasEachFailureOfTheExport() throws {
        let names = Set(MetricsScript.plain.keys).union(MetricsScript.addressed.keys)
        #expect(try Self.names(in: Self.definitions()["metricsFailure"]) == names)
    }

    @Test func isTheFileThatTheProgramServes() throws {
        let served = try Self.file("Sources/PushServer/API/simulator-script.schema.json")
        #expect(try Self.file("docs/simulator-script.schema.json") == served)
    }

    // MARK: Rules as JSON

    /// The rules in the samples of the page about scripts.
    private static func samples() throws -> [String] {
        let page = String(decoding: try file("docs/simulator-script.md"), as: UTF8.self)
        return page.components(separatedBy: "```json\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
    }

    @Test func aRuleIsWrittenAsItIsRead() throws {
        var count = 0
        for sample in try Self.samples() {
            let script = try? FaultScript(json: Array(sample.utf8))
            let rules = try script?.rules ?? [FaultRule(json: Array(sample.utf8))]
            for rule in rules {
                #expect(try FaultRule(json: rule.json) == rule, "\(sample)")
                count += 1
            }
        }
        #expect(count > 50)
    }

    @Test func everyFaultIsWrittenAsItIsRead() throws {
        for (name, fault) in FaultReader.plain {
            let trigger: FaultRule.Trigger = name == "plainText" ? .connecting : .push
            let rule = FaultRule(trigger, fault)
            #expect(try FaultRule(json: rule.json) == rule, "\(name)")
        }
    }

    @Test func aRuleSaysWhatIsWrongWithIt() {
        let error = #expect(throws: SimulatorError.self) {
            try FaultRule(json: Array(#"{"when":"push","then":{"refuse":"NoSuchReason"}}"#.utf8))
        }
        #expect(error?.description.contains(#"then.refuse is "NoSuchReason"; allowed are BadCollapseId"#) == true)
        #expect(throws: SimulatorError.self) { try FaultRule(json: []) }
        #expect(throws: SimulatorError.self) {
            try FaultRule(json: Array(#"{"when":"connecting","then":{"refuse":"BadTopic"}}"#.utf8))
        }
    }
}
