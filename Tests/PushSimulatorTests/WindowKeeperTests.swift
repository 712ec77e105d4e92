import Testing

@testable import PushSimulator

/// When bytes that were kept are given back, without a connection.
@Suite struct WindowKeeperTests {
    private static let millisecond: Int64 = 1_000_000

    private func keeper(_ pace: WindowPace, of scope: WindowScope = .all, unreturned: [Int32: Int] = [:])
        -> WindowKeeper
    {
        var keeper = WindowKeeper()
        keeper.change(pace, of: scope)
        keeper.begin(scope, unreturned: unreturned, now: 0)
        return keeper
    }

    private func words(_ keeper: inout WindowKeeper, at milliseconds: Int64) -> [String] {
        keeper.takeDue(milliseconds * Self.millisecond).map { "\($0.stream): \($0.bytes)" }
    }

    @Test func aTrickleGivesAPieceAtEachIntervalAsLongAsSomethingIsLeft() {
        var keeper = keeper(.trickle(Dribble(bytes: 100, every: .milliseconds(10))))
        #expect(keeper.nextDue == nil)
        keeper.read(250, of: 1, now: 0)
        #expect(keeper.nextDue == 10 * Self.millisecond)
        #expect(words(&keeper, at: 9).isEmpty)
        #expect(words(&keeper, at: 10) == ["0: 100", "1: 100"])
        keeper.read(30, of: 3, now: 15 * Self.millisecond)
        #expect(words(&keeper, at: 20) == ["0: 100", "1: 100", "3: 30"])
        #expect(words(&keeper, at: 30) == ["0: 80", "1: 50"])
        #expect(keeper.nextDue == nil)
    }

    @Test func aLateTrickleMakesUpForTheIntervalsThatPassed() {
        var keeper = keeper(.trickle(Dribble(bytes: 100, every: .milliseconds(10))), of: .connection)
        keeper.read(1_000, of: 1, now: 0)
        #expect(words(&keeper, at: 35) == ["0: 300"])
        #expect(keeper.nextDue == 40 * Self.millisecond)
        #expect(keeper.takeDue(.max).map(\.bytes) == [700])
        #expect(keeper.nextDue == nil)
    }

    @Test func aDelayGivesEachBatchInItsTime() {
        var keeper = keeper(.delay(.milliseconds(50)))
        keeper.read(10, of: 1, now: 0)
        keeper.read(5, of: 1, now: 0)
        keeper.read(7, of: 3, now: 20 * Self.millisecond)
        #expect(keeper.nextDue == 50 * Self.millisecond)
        #expect(words(&keeper, at: 50) == ["0: 15", "1: 15"])
        keeper.closed(3)
        #expect(words(&keeper, at: 70) == ["0: 7"])
        #expect(keeper.nextDue == nil)
    }

    @Test func whatWasReadBeforeCountsFromTheChange() {
        var keeper = keeper(.delay(.milliseconds(5)), unreturned: [0: 40, 1: 30])
        #expect(words(&keeper, at: 5) == ["0: 40", "1: 30"])
        keeper.change(.trickle(Dribble(bytes: 20, every: .milliseconds(1))), of: .streams)
        keeper.begin(.streams, unreturned: [0: 40, 1: 30], now: 5 * Self.millisecond)
        #expect(words(&keeper, at: 6) == ["1: 20"])
    }

    @Test(arguments: [WindowPace.prompt, .withhold])
    func nothingIsEverDueAtTheseEnds(_ pace: WindowPace) {
        var keeper = keeper(.delay(.milliseconds(5)), unreturned: [0: 40, 1: 30])
        keeper.change(pace, of: .all)
        keeper.begin(.all, unreturned: [0: 40, 1: 30], now: 0)
        keeper.read(1_000, of: 1, now: 0)
        #expect(keeper.nextDue == nil)
        #expect(words(&keeper, at: 1_000).isEmpty)
    }
}
