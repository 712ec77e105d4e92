import ProcessRuntime
import PushHTTP2
import Testing

@testable import PushSimulator

/// The written form of a rehearsal.
@Suite("parity: F8 – fault scripts") struct FaultScriptTests {
    private func read(_ text: String) throws -> FaultScript { try FaultScript(json: text.utf8) }

    /// One rule around what stands behind `then`.
    private func fault(_ then: String, when: String = #""push""#) throws -> Fault? {
        try read(#"{"rules": [{"when": \#(when), "then": \#(then)}]}"#).rules.first?.fault
    }

    @Test func aWholeRuleIsRead() throws {
        let script = try read(
            #"""
            {
              "seed": 42,
              "rules": [
                {
                  "name": "maintenance", "when": {"push": 100}, "on": {"first": 2}, "between": ["1s", "2min"],
                  "probability": 0.5, "times": 3,
                  "then": {"goAway": {
                    "code": "ENHANCE_YOUR_CALM", "reason": "Shutdown", "lastStream": 7, "announced": true,
                    "ending": "rst", "refusesPushes": true
                  }}
                },
                {"when": "connected", "then": "goAway"}
              ]
            }
            """#)
        let first = FaultRule(
            .pushNumber(100),
            .goAway(
                GoAway(
                    code: 11, reason: "Shutdown", lastStream: .exactly(7), isAnnounced: true, ending: .cut(.reset),
                    refusesPushes: true)),
            on: .first(2), times: 3, between: .seconds(1)..<(.seconds(120)), probability: 0.5, name: "maintenance")
        let second = FaultRule(.connected, .goAway(GoAway()), name: "rule 2")
        #expect(script == FaultScript(seed: 42, rules: [first, second]))
    }

    @Test func triggersAndConnections() throws {
        func rule(_ when: String, _ on: String = #""all""#, _ then: String = #""mute""#) throws -> FaultRule? {
            try read(#"{"rules": [{"when": \#(when), "on": \#(on), "then": \#(then)}]}"#).rules.first
        }
        #expect(try rule(#""push""#)?.trigger == .push)
        #expect(try rule(#"{"everyPush": 3}"#)?.trigger == .everyPush(3))
        #expect(try rule(#"{"overallPush": 3}"#)?.trigger == .overallPush(3))
        #expect(try rule(#"{"everyOverallPush": 3}"#)?.trigger == .everyOverallPush(3))
        #expect(try rule(#"{"pushTo": "Ab"}"#)?.trigger == .pushTo("Ab"))
        #expect(try rule(#"{"at": "1.5s"}"#)?.trigger == .at(.milliseconds(1500)))
        #expect(try rule(#""connecting""#, #"{"connection": 2}"#, #""plainText""#)?.selection == .nth(2))
        #expect(try rule(#""push""#, #"{"after": 0}"#)?.selection == .after(0))
        #expect(try rule(#""push""#, #"{"every": 4}"#)?.selection == .every(4))
    }

    @Test func faultsWithValues() throws {
        #expect(try fault(#"{"delay": "250ms"}"#) == .delay(.fixed(.milliseconds(250))))
        #expect(try fault(#"{"delay": ["0s", "1h"]}"#) == .delay(Latency(.zero ... .seconds(3600))))
        #expect(try fault(#"{"refuse": "TooManyRequests"}"#) == .refuse(.tooManyRequests))
        #expect(try fault(#"{"resetStream": "REFUSED_STREAM"}"#) == .resetStream(code: 7))
        #expect(try fault(#"{"addTopic": "com.example.new"}"#) == .addTopic("com.example.new"))
        #expect(try fault(#"{"resetStream": 4294967295}"#) == .resetStream(code: .max))
        #expect(try fault(#"{"cutUnprocessed": "rst"}"#) == .cutUnprocessed(.reset))
        #expect(
            try fault(#"{"halfAnswer": {"extent": "body", "ending": {"resetStream": 2}}}"#)
                == .halfAnswer(HalfAnswer(.body, then: .reset(code: 2))))
        #expect(try fault(#"{"malformedAnswer": {"status": "2xx"}}"#) == .malformedAnswer(.status("2xx")))
        #expect(try fault(#"{"malformedAnswer": "headerBlock"}"#) == .malformedAnswer(.headerBlock))
        #expect(try fault(#"{"afterAnswer": {"resetStream": 8}}"#) == .afterAnswer(.reset(code: 8)))
        #expect(try fault(#"{"flood": {"kind": "emptyData", "count": 5}}"#) == .flood(Flood(.emptyData, count: 5)))
        #expect(try fault(#"{"window": {"pace": "withhold"}}"#) == .window(.withhold, of: .connection))
        #expect(try fault(#"{"window": {"pace": "prompt", "of": "all"}}"#) == .window(.prompt, of: .all))
        #expect(
            try fault(#"{"window": {"pace": {"trickle": {"bytes": 9, "every": "5ms"}}, "of": "streams"}}"#)
                == .window(.trickle(Dribble(bytes: 9, every: .milliseconds(5))), of: .streams))
        #expect(
            try fault(#"{"window": {"pace": {"delay": "1s"}}}"#, when: #""connected""#) == .window(.delay(.seconds(1))))
        #expect(
            try fault(#"{"windowUpdate": {"bytes": 100, "of": "streams"}}"#) == .windowUpdate(bytes: 100, of: .streams))
        #expect(
            try fault(#"{"dribbleHandshake": {"bytes": 1, "every": "10ms"}}"#, when: #""connecting""#)
                == .dribbleHandshake(Dribble(bytes: 1, every: .milliseconds(10))))
    }

    struct Mistake: CustomTestStringConvertible, Sendable {
        let json: String
        let words: [String]

        init(_ json: String, _ words: String...) {
            self.json = json
            self.words = words
        }

        /// A mistake in the second of two rules.
        static func rule(_ json: String, _ words: String...) -> Mistake {
            var mistake = Mistake(#"{"rules": [{"when": "push", "then": "hold"}, \#(json)]}"#)
            mistake = Mistake(json: mistake.json, words: ["rule 2: "] + words)
            return mistake
        }

        private init(json: String, words: [String]) {
            self.json = json
            self.words = words
        }

        var testDescription: String { json }
    }

    static let mistakes: [Mistake] = [
        Mistake("", "not JSON"), Mistake(#"{"rules": ["#, "not JSON"), Mistake("[]", "rules"), Mistake("{}", "rules"),
        Mistake(#"{"rules": 1}"#, "rules", "list"), Mistake(#"{"rules": [], "sed": 1}"#, "\"sed\"", "seed, rules"),
        Mistake(#"{"rules": [], "seed": -1}"#, "seed", "0 or more"),
        Mistake(#"{"rules": [], "seed": "x"}"#, "seed", "whole number", "a string"),
        .rule("7", "object"), .rule(#"{"then": "hold"}"#, "when"), .rule(#"{"when": "push"}"#, "then"),
        .rule(#"{"when": "push", "then": "hold", "tmes": 1}"#, "\"tmes\"", "times"),
        .rule(#"{"when": "pushed", "then": "hold"}"#, "when", "pushed", "\"connecting\""),
        .rule(#"{"when": {"push": 0}, "then": "hold"}"#, "when.push", "1 or more"),
        .rule(#"{"when": {"push": 1.5}, "then": "hold"}"#, "when.push", "whole number"),
        .rule(#"{"when": {"push": 1, "at": "1s"}, "then": "hold"}"#, "when", "exactly one"),
        .rule(#"{"when": {"at": "soon"}, "then": "mute"}"#, "when.at", "soon", "250ms"),
        .rule(#"{"when": {"at": 5}, "then": "mute"}"#, "when.at", "a time", "a number"),
        .rule(#"{"when": {"pushTo": "xyz"}, "then": "hold"}"#, "when.pushTo", "hex"),
        .rule(#"{"when": "push", "on": {"connection": 0}, "then": "hold"}"#, "on.connection"),
        .rule(#"{"when": "push", "on": {"last": 1}, "then": "hold"}"#, "on", "\"last\"", "first"),
        .rule(#"{"when": "push", "times": 0, "then": "hold"}"#, "times", "1 or more"),
        .rule(#"{"when": "push", "probability": 1.5, "then": "hold"}"#, "probability", "at most 1"),
        .rule(#"{"when": "push", "between": ["2s", "1s"], "then": "hold"}"#, "between", "earlier"),
        .rule(#"{"when": "push", "between": "2s", "then": "hold"}"#, "between", "two times"),
        .rule(#"{"when": "push", "then": "explode"}"#, "then", "explode", "\"mute\"", "oversizedBody"),
        .rule(#"{"when": "push", "then": {"explode": 1}}"#, "then", "explode"),
        .rule(#"{"when": "push", "then": null}"#, "then", "null"),
        .rule(#"{"when": "push", "then": {"refuse": "Teapot"}}"#, "then.refuse", "Teapot", "ServiceUnavailable"),
        .rule(#"{"when": "push", "then": {"cut": "soft"}}"#, "then.cut", "\"fin\", \"rst\""),
        .rule(#"{"when": "push", "then": {"resetStream": "SORRY"}}"#, "then.resetStream", "REFUSED_STREAM"),
        .rule(#"{"when": "push", "then": {"resetStream": 4294967296}}"#, "then.resetStream", "4294967295"),
        .rule(#"{"when": "push", "then": {"goAway": {"lastStream": "all"}}}"#, "then.goAway.lastStream", "processed"),
        .rule(#"{"when": "push", "then": {"goAway": {"lastStream": 4}}}"#, "then.goAway.lastStream", "odd"),
        .rule(#"{"when": "push", "then": {"goAway": {"announced": 1}}}"#, "then.goAway.announced", "true or false"),
        .rule(#"{"when": "push", "then": {"settings": {}}}"#, "then.settings", "change something"),
        .rule(
            #"{"when": "push", "then": {"settings": {"initialWindowSize": 2147483648}}}"#,
            "then.settings.initialWindowSize"),
        .rule(#"{"when": "push", "then": {"window": {"of": "all"}}}"#, "then.window", "pace"),
        .rule(#"{"when": "push", "then": {"window": "withhold"}}"#, "then.window", "an object", "a string"),
        .rule(#"{"when": "push", "then": {"window": {"pace": "slow"}}}"#, "then.window.pace", "slow", "withhold"),
        .rule(#"{"when": "push", "then": {"window": {"pace": {"delay": 5}}}}"#, "then.window.pace.delay", "a time"),
        .rule(
            #"{"when": "push", "then": {"window": {"pace": "withhold", "of": "stream"}}}"#, "then.window.of",
            "connection, streams, all"),
        .rule(
            #"{"when": "push", "then": {"window": {"pace": {"trickle": {"bytes": 0, "every": "1s"}}}}}"#,
            "then.window.pace.trickle.bytes", "1 or more"),
        .rule(
            #"{"when": "push", "then": {"window": {"pace": {"trickle": {"bytes": 1, "every": "0s"}}}}}"#,
            "then.window.pace.trickle.every", "more than 0"),
        .rule(
            #"{"when": "connecting", "then": {"window": {"pace": "withhold"}}}"#, "then", "cannot happen", "connected"),
        .rule(#"{"when": "push", "then": {"addTopic": "a b"}}"#, "then.addTopic", "letters, digits"),
        .rule(#"{"when": "connecting", "then": {"addTopic": "a"}}"#, "connected, at", "push"),
        .rule(#"{"when": "push", "then": {"windowUpdate": {}}}"#, "then.windowUpdate", "bytes"),
        .rule(
            #"{"when": "push", "then": {"windowUpdate": {"bytes": 2147483648}}}"#, "then.windowUpdate.bytes",
            "2147483647"),
        .rule(#"{"when": "push", "then": {"flood": {"count": 1}}}"#, "then.flood", "kind"),
        .rule(
            #"{"when": "push", "then": {"flood": {"kind": "settings", "count": 10001}}}"#, "then.flood.count", "10000"),
        .rule(#"{"when": "push", "then": {"oversizedBody": 0}}"#, "then.oversizedBody"),
        .rule(
            #"{"when": "push", "then": {"halfAnswer": {"extent": "frame", "ending": {"resetStream": 1}}}}"#,
            "then.halfAnswer", "part of a frame"),
        // Combinations that can never happen.
        .rule(#"{"when": "connected", "then": {"refuse": "Shutdown"}}"#, "then", "cannot happen", "push"),
        .rule(#"{"when": "push", "then": {"tls": "wrongHost"}}"#, "then", "cannot happen", "connecting"),
        .rule(#"{"when": "connecting", "then": "goAway"}"#, "then", "cannot happen", "connected"),
        .rule(#"{"when": {"at": "1s"}, "then": {"flood": {"kind": "emptyData"}}}"#, "then", "cannot happen"),
    ]

    @Test(arguments: mistakes)
    func aMistakeIsNamedWithItsPlaceAndWhatIsAllowed(_ mistake: Mistake) throws {
        #expect {
            _ = try read(mistake.json)
        } throws: { error in
            guard let error = error as? SimulatorError, error.code == .configuration else { return false }
            let missing = mistake.words.filter { !error.description.contains($0) }
            if !missing.isEmpty { Issue.record("\(missing) missing in: \(error.description)") }
            return true
        }
    }

    @Test func aScriptIsCheckedWhenTheSimulatorIsMade() {
        var configuration = SimulatedAPNs.Configuration()
        configuration.script = FaultScript(rules: [FaultRule(.push, .hold), FaultRule(.push, .plainText)])
        #expect {
            _ = try SimulatedAPNs(configuration)
        } throws: { error in
            "\(error)".hasPrefix("rule 2: then ")
        }
    }

    @Test func aScriptIsInForceFromTheFirstConnection() async throws {
        let rehearsal = try Rehearsal { configuration in
            configuration.script = try? FaultScript(
                json: #"{"rules": [{"when": {"push": 2}, "then": {"refuse": "InternalServerError"}}]}"#.utf8)
        }
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers(), count: 3)
        try #require(await provider.waitForResponses(3))
        #expect(provider.responses.sorted { $0.tag < $1.tag }.map(\.status) == [200, 500, 200])
        #expect(rehearsal.apns.faults.count(named: "rule 1") == 1)
    }

    @Test func theSameSeedGivesTheSameRun() async throws {
        func statuses(seed: UInt64) async throws -> [Int] {
            let rule = FaultRule(.push, .refuse(.serviceUnavailable), probability: 0.5)
            let rehearsal = try Rehearsal { $0.script = FaultScript(seed: seed, rules: [rule]) }
            let provider = try await rehearsal.provider()
            provider.push(rehearsal.headers(), count: 60)
            try #require(await provider.waitForResponses(60))
            return provider.responses.sorted { $0.tag < $1.tag }.map { Int($0.status) }
        }
        let first = try await statuses(seed: 5)
        #expect(try await statuses(seed: 5) == first)
        #expect(try await statuses(seed: 6) != first)
        #expect(Set(first) == [200, 503])
    }
}
