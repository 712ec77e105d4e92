import PushQueue
import Testing

@testable import pushctl

/// What `queue put` says before outcomes are removed unread.
@Suite struct OutcomeRoomTests {
    private func room(limit: Int?, outcomes: Int = 0, waiting: Int = 0) -> OutcomeRoom {
        var status = QueueStatus()
        (status.maxOutcomes, status.outcomes, status.waiting) = (limit, outcomes, waiting)
        return OutcomeRoom(status)
    }

    @Test func aCampaignOfMoreThanAMillionIsWarnedOfOnce() throws {
        var room = room(limit: nil)
        let lines = [1_000_000, 1_000_001, 2_000_000].map { room.warning(tokens: $0) }
        let line = try #require(lines[1])
        #expect(line.contains("keeps 1,000,000 outcomes") && line.contains("--max-outcomes"))
        #expect(lines[0] == nil && lines[2] == nil)
    }

    @Test func whatIsStoredAndWhatWaitsCounts() {
        var room = room(limit: 100, outcomes: 60, waiting: 30)
        let lines = [10, 11].map { room.warning(tokens: $0) }
        #expect(lines[0] == nil && lines[1] != nil)
    }

    @Test func aLargerLimitNeedsNoWarning() {
        var room = room(limit: 2_000_000)
        let line = room.warning(tokens: 1_100_000)
        #expect(line == nil)
    }

    @Test func unreadableOutcomesHaveTheirPositions() {
        var unreadable = UnreadableOutcomes()
        let lines = unreadable.lines(OutcomePage([], unreadable: ["7.1", "7.2"], position: "9.1"))
        #expect(lines.count == 2 && lines[0].hasSuffix("position 7.1") && unreadable.rest == nil)
        let many = OutcomePage([], unreadable: (0..<1_000).map { "8.\($0)" }, position: "9.1")
        let more = [unreadable.lines(many), unreadable.lines(many)]
        #expect(more[0].count == 98 && more[1].isEmpty)
        #expect(unreadable.count == 2_002 && unreadable.rest == "pushctl: 1,902 more outcomes cannot be read")
    }
}
