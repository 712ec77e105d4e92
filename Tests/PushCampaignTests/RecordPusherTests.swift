import SupervisedPush
import Testing

@testable import PushCampaign

/// What a campaign makes of records.
@Suite struct RecordPusherTests {
    private func pusher(waiving rules: PushRules = []) throws -> RecordPusher {
        var headers = RecordContent.Headers()
        headers.waived = rules
        return RecordPusher(try RecordContent(.init(.alert(title: "x")), headers: headers))
    }

    @Test func aPriorityThatAPNsDoesNotKnowIsInvalidUnlessTheRuleIsWaived() throws {
        var record = InputRecord(line: 2)
        (record.token, record.priority) = ("aabb01", 7)
        var strict = try pusher()
        let problem = #expect(throws: RecordProblem.self) { _ = try strict.push(of: record) }
        #expect(problem?.sentence == "priority 7 is not valid: it must be 1, 5 or 10")
        #expect(problem?.reason == "invalid_input")
        var lenient = try pusher(waiving: .priority)
        #expect(try lenient.push(of: record).notification.priority?.rawValue == 7)
        record.priority = 1
        #expect(try strict.push(of: record).notification.priority == .low)
    }
}
