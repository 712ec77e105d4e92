import SupervisedPush
import Testing

@testable import pushctl

@Suite struct EntryGroupingTests {
    private func notification(_ body: String) -> PushNotification { .alert(title: "Title", body: body) }

    private func token(_ number: Int) throws -> DeviceToken {
        try DeviceToken("aabb" + (number < 10 ? "0" : "") + "\(number)")
    }

    private func lines(_ grouping: EntryGrouping) -> [[Int]] { grouping.groups.map(\.lines) }

    @Test func recordsWithTheSameNotificationShareAnEntry() throws {
        var grouping = EntryGrouping()
        for line in 2..<8 {
            // Each is made by itself, as from a column of payloads.
            grouping.add(notification(line.isMultiple(of: 2) ? "even" : "odd"), to: try token(line), line: line)
        }
        #expect(lines(grouping) == [[2, 4, 6], [3, 5, 7]])
        #expect(grouping.groups.map(\.notification) == [notification("even"), notification("odd")])
        #expect(grouping.groups[1].tokens == [try token(3), try token(5), try token(7)])
    }

    @Test func aHeaderMakesAnotherEntry() throws {
        var (grouping, urgent) = (EntryGrouping(), notification("a"))
        urgent.priority = .immediate
        grouping.add(notification("a"), to: try token(1), line: 2)
        grouping.add(urgent, to: try token(2), line: 3)
        #expect(lines(grouping) == [[2], [3]])
    }

    @Test func aFullEntryIsFollowedByAnother() throws {
        var grouping = EntryGrouping(.init(tokensPerEntry: 2, tokens: 100))
        for line in 2..<7 { grouping.add(notification("a"), to: try token(line), line: line) }
        #expect(lines(grouping) == [[2, 3], [4, 5], [6]])
    }

    @Test(arguments: [
        EntryGrouping.Limits(tokens: 3), EntryGrouping.Limits(entries: 3), EntryGrouping.Limits(bytes: 130),
    ])
    func aBatchIsBounded(_ limits: EntryGrouping.Limits) throws {
        var (grouping, line) = (EntryGrouping(limits), 2)
        while !grouping.isFull {
            grouping.add(notification("\(line)"), to: try token(line), line: line)
            line += 1
        }
        #expect(lines(grouping) == [[2], [3], [4]])
    }
}
