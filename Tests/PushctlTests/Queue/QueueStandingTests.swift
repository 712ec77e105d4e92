import PushLocking
import PushQueue
import Testing

@testable import pushctl

@Suite(.timeLimit(.minutes(5))) struct QueueStandingTests {
    @Test func aQueueThatDoesNotAnswerHoldsNobodyUpAndIsAskedOnce() async {
        let (answers, queue) = AsyncStream<QueueStatus>.makeStream()
        let (asked, isPatient) = (Locked(0), Locked(false))
        let standing = QueueStanding {
            guard isPatient.withLock({ $0 }) else { return }
            // The one who waits is known by now.
            var status = QueueStatus()
            status.waiting = 7
            queue.yield(status)
            try? await Task.sleep(for: .seconds(3_600))
        } ask: {
            asked.withLock { $0 += 1 }
            return await answers.first { _ in true }
        }
        for _ in 1...3 { #expect(await standing.status == nil) }
        isPatient.withLock { $0 = true }
        #expect(await standing.status?.waiting == 7)
        #expect(asked.withLock { $0 } == 1)
        // The next question is another one.
        #expect(await standing.status?.waiting == 7)
        #expect(asked.withLock { $0 } == 2)
    }

    @Test func aQueueThatCannotTellIsNotWaitedFor() async {
        let standing = QueueStanding {
            try? await Task.sleep(for: .seconds(3_600))
        } ask: {
            nil
        }
        #expect(await standing.status == nil)
    }
}
