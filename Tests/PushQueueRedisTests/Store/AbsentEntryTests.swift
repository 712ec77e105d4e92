import Foundation
import PushQueue
import PushQueueRedis
import QueueTestSupport
import SupervisedPush
import Testing

/// Entries that were put in and taken while the replica lagged: the new master never had them.
@Suite(.timeLimit(.minutes(2))) struct RedisAbsentEntryTests {
    @Test func anAnswerAfterTheSwitchIsStoredOnceWithoutItsEntry() async throws {
        let stage = try await FailoverStage()
        try await stage.cutOff()
        try await stage.queue.enqueue([.sample(3), .sample()])
        let taken = try await stage.queue.take(as: .ann, tokens: 9)
        try #require(taken.count == 2)
        try await stage.failOver()
        let part = Settlement(taken[0].key, rows: try taken[0].rows(1..<2, .rejected), fate: .open)
        try await stage.queue.settle(as: .ann, [part])
        _ = try await stage.queue.recover(as: .ann, besides: Set(taken.map(\.key)))
        for _ in 0..<2 { try await stage.queue.settle(as: .ann, [part, taken[0].done(), taken[1].done()]) }
        let rows = try part.rows + taken[0].rows(0..<1) + taken[0].rows(2..<3) + taken[1].rows()
        #expect(try await stage.rows() == rows)
        #expect(try await stage.queue.outcomes(.feedback, after: nil, limit: 9).outcomes == part.rows)
        #expect(try await stage.queue.status().outcomes == 4)
    }

    @Test func anAbsentEntryThatIsPutOffKeepsItsRowsAndIsLost() async throws {
        let stage = try await FailoverStage()
        try await stage.cutOff()
        try await stage.queue.enqueue([.sample(2), .sample(2)])
        let taken = try await stage.queue.take(as: .ann, tokens: 9)
        try #require(taken.count == 2)
        try await stage.failOver()
        try await stage.queue.settle(
            as: .ann,
            [
                Settlement(taken[0].key, rows: try taken[0].rows(0..<1), fate: .again(notBefore: .distantFuture)),
                Settlement(taken[1].key, rows: try taken[1].rows(0..<1), fate: .dead("It was in doubt three times.")),
            ])
        #expect(try await stage.rows() == taken[0].rows(0..<1) + taken[1].rows(0..<1))
        let status = try await stage.queue.status()
        #expect(status.delayed == 0 && status.waiting == 0 && status.taken == 0 && status.dead == 0)
    }

    /// Its entry is not there because another worker has ended it.
    @Test func aLateAnswerOfAnEntryThatAnotherWorkerEndedIsNotStoredTwice() async throws {
        let stage = try await FailoverStage()
        try await stage.queue.enqueue([.sample()])
        let mine = try #require(try await stage.queue.take(as: .ann, tokens: 9).first)
        let over = try await stage.bench.queue.reclaim(from: .ann, at: 0, as: .bob, limit: 9)
        #expect(over.map(\.key) == [mine.key])
        try await stage.bench.queue.settle(as: .bob, over.map { try $0.done() })
        try await stage.cutOff()
        try await stage.queue.enqueue([.sample()])
        let lost = try #require(try await stage.queue.take(as: .ann, tokens: 9).first)
        try await stage.failOver()
        try await stage.queue.settle(as: .ann, [mine.done(), lost.done()])
        #expect(try await stage.rows() == mine.rows() + lost.rows())
    }

    /// The call was on its way when the connection came to the new master.
    @Test func anAnswerThatReachesTheNewMasterFirstIsStored() async throws {
        let stage = try await FailoverStage()
        let client = LossyRedis(stage.client)
        let queue = try FailoverStage.queue(stage.bench, client)
        try await queue.enqueue([.sample()])
        let kept = try #require(try await queue.take(as: .ann, tokens: 9).first)
        try await stage.cutOff()
        try await queue.enqueue([.sample()])
        let lost = try #require(try await queue.take(as: .ann, tokens: 9).first)
        // The new server gets the script first, so that the call is the one that reaches it.
        _ = try? await stage.other().settle(as: .ann, [kept.done()])
        try stage.failOver(duringTheNextCallOf: queue, client)
        let settlements = [try kept.done(), try lost.done()]
        let caught = await #expect(throws: QueueError.self) { try await queue.settle(as: .ann, settlements) }
        #expect(caught?.code == .unreachable)
        for _ in 0..<2 { try await queue.settle(as: .ann, settlements) }
        #expect(try await stage.rows() == settlements.flatMap(\.rows))
    }
}
