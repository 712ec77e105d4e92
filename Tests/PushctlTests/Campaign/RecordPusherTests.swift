import SupervisedPush
import Testing

@testable import pushctl

/// What `bulk` makes of records.
@Suite struct RecordPusherTests {
    private func pusher(_ flags: [String] = []) throws -> RecordPusher {
        let connection = ["--key", "k.p8", "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ", "--topic", "a.b"]
        let options = try BulkFlags.parsed(["in.csv", "--body", "x"] + connection + flags)
        return RecordPusher(try SharedContent(options), options.campaign)
    }

    @Test func aPriorityThatAPNsDoesNotKnowIsInvalidUnlessTheRuleIsWaived() throws {
        var record = InputRecord(line: 2)
        (record.token, record.priority) = ("aabb01", 7)
        var strict = try pusher()
        let problem = #expect(throws: RecordPusher.Problem.self) { _ = try strict.push(of: record) }
        #expect(problem?.sentence == "priority 7 is not valid: it must be 1, 5 or 10")
        #expect(problem?.reason == "invalid_input")
        var lenient = try pusher(["--waive", "priority"])
        #expect(try lenient.push(of: record).notification.priority?.rawValue == 7)
        record.priority = 1
        #expect(try strict.push(of: record).notification.priority == .low)
    }
}
