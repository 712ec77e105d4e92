import ProcessRuntime
import Testing

@testable import SupervisedPush

/// When a process that a push woke lets its callers push on.
struct CallersTurnTests {
    private static let start = MonotonicInstant(nanoseconds: 1_000)

    /// Whether the process gives up its turn each time it takes `count` pushes, at `after` from the start.
    private func turns(_ taken: [(count: Int, after: Duration, isWoken: Bool)]) -> [Bool] {
        var turn = CallersTurn()
        return taken.map { take in
            if take.isWoken { turn.woken() }
            return turn.took(take.count, Self.start.advanced(by: take.after))
        }
    }

    /// Each time a push woke it.
    private func turns(taking counts: [Int]) -> [Bool] { turns(counts.map { ($0, .zero, true) }) }

    @Test func aSinglePushDoesNotWait() {
        #expect(turns(taking: [1, 1, 63, 1]) == [false, false, false, false])
    }

    @Test func afterABatchTheCallersRunBeforeFewPushesAreWritten() {
        #expect(turns(taking: [64, 1, 15, 1]) == [false, true, true, true])
        #expect(turns(taking: [64, 16]) == [false, false], "worth a write")
        #expect(turns(taking: [64, 0]) == [false, false], "nothing to write")
    }

    @Test func twoMillisecondsAfterABatchNoMoreIsExpected() {
        let taken = [0, 1_999, 2_000, 3_000, 4_000].map { Duration.microseconds($0) }
        #expect(
            turns(zip([64, 1, 1, 1_000, 1], taken).map { ($0, $1, true) }) == [false, true, false, false, true])
    }

    @Test func itGivesUpItsTurnOnceForEachWakeUp() {
        let taken = [(64, true), (1, true), (1, false), (1, false), (1, true)]
        #expect(turns(taken.map { ($0, .zero, $1) }) == [false, true, false, false, true])
    }
}
