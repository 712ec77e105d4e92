import PushQueue
import Testing

@testable import pushctl

@Suite struct PutPatienceTests {
    @Test func aQueueThatDoesNotAnswerIsAskedForFiftySeconds() {
        var patience = PutPatience(maxWait: 300, start: 10)
        #expect(!patience.mayHold)
        #expect(patience.failed(.unreachable, calledAt: 20, now: 25) == .again(left: 45))
        #expect(patience.mayHold)
        #expect(patience.failed(.unreachable, calledAt: 60, now: 65) == .again(left: nil))
        #expect(patience.failed(.unreachable, calledAt: 65.2, now: 70) == .giveUp)
        #expect(patience.mayHold)
    }

    @Test func aFullQueueIsWaitedForAndHoldsNothing() {
        var patience = PutPatience(maxWait: 30, start: 10)
        #expect(patience.failed(.full, calledAt: 10, now: 10) == .again(left: 30))
        #expect(patience.failed(.unreachable, calledAt: 11, now: 12) == .again(left: 49))
        #expect(patience.failed(.full, calledAt: 13, now: 13) == .again(left: 27))
        #expect(!patience.mayHold)
        #expect(patience.failed(.full, calledAt: 39, now: 40) == .giveUp)
    }

    @Test func otherErrorsEndTheRun() {
        var patience = PutPatience(maxWait: 30, start: 0)
        #expect(patience.failed(.refused, calledAt: 1, now: 1) == .giveUp)
    }
}
