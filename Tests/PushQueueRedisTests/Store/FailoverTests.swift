import Foundation
import PushQueue
import PushQueueRedis
import QueueTestSupport
import Testing

/// A master that ends while its replica lacks its last calls.
@Suite(.timeLimit(.minutes(2))) struct RedisFailoverTests {
    @Test func settlesThatTheNewMasterLacksAreRepeated() async throws {
        let stage = try await FailoverStage()
        try await stage.queue.enqueue([.sample(2), .sample(600), .sample(), .sample()])
        let taken = try await stage.queue.take(as: .ann, tokens: 604)
        try await stage.queue.settle(as: .ann, [taken[3].done()])
        try await stage.cutOff()
        let part = Settlement(taken[1].key, rows: try taken[1].rows(0..<300), fate: .open)
        try await stage.queue.settle(as: .ann, [taken[0].done(), part])
        let again = Settlement(taken[2].key, rows: [], fate: .again(notBefore: .distantFuture))
        try await stage.queue.settle(as: .ann, [again])
        try await stage.failOver()
        _ = try await stage.queue.beat(as: .ann)
        #expect(try await stage.rows() == taken[3].rows() + taken[0].rows() + part.rows)
        let held = try await stage.queue.recover(as: .ann, besides: [])
        #expect(held.map(\.key) == [taken[1].key])
        #expect(held.map(\.settled) == [TokenSet(0..<300)])
        let status = try await stage.queue.status()
        #expect(status.delayed == 1 && status.waiting == 0)
        #expect(try await stage.bench.taken(stage.queue) == [.ann: 1])
    }

    @Test func rowsOfEntriesThatTheNewMasterNeverHadAreWrittenOnce() async throws {
        let stage = try await FailoverStage()
        try await stage.cutOff()
        try await stage.queue.enqueue([.sample(3)])
        let taken = try #require(try await stage.queue.take(as: .ann, tokens: 9).first)
        let first = Settlement(taken.key, rows: try taken.rows(0..<1), fate: .open)
        try await stage.queue.settle(as: .ann, [first])
        try await stage.queue.settle(as: .ann, [taken.done()])
        try await stage.failOver()
        _ = try await stage.queue.beat(as: .ann)
        stage.queue.serverChanged()
        _ = try await stage.queue.beat(as: .ann)
        #expect(try await stage.rows() == taken.rows())
    }

    /// The new master knows neither that the entries were taken nor how they ended.
    @Test func entriesThatWereTakenAndPutOffInTheLagArePutOffAgain() async throws {
        let stage = try await FailoverStage()
        let left = try QueueEntry.sample()
        try await stage.queue.enqueue([.sample(2), .sample(), left])
        try await stage.cutOff()
        let taken = try await stage.queue.take(as: .ann, tokens: 3)
        let again = Settlement(
            taken[0].key, rows: try taken[0].rows(0..<1), fate: .again(notBefore: .distantFuture, retries: 3))
        try await stage.queue.settle(as: .ann, [again, Settlement(taken[1].key, rows: [], fate: .dead("test"))])
        try await stage.failOver()
        _ = try await stage.queue.beat(as: .ann)
        let status = try await stage.queue.status()
        #expect(status.delayed == 1 && status.dead == 1 && status.waiting == 1 && status.outcomes == 1)
        stage.queue.serverChanged()
        #expect(try await stage.queue.take(as: .bob, tokens: 9).map { try $0.entry.get().id } == [left.id])
    }

    @Test(arguments: [false, true])
    func entriesThatWerePutOffInTheLagWithoutARowArePutOffAgain(hasALaterOne: Bool) async throws {
        let stage = try await FailoverStage()
        try await stage.queue.enqueue([.sample(), .sample(), .sample()])
        try await stage.cutOff()
        let taken = try await stage.queue.take(as: .ann, tokens: hasALaterOne ? 3 : 2)
        let again = Settlement(taken[0].key, rows: [], fate: .again(notBefore: .distantFuture, retries: 3))
        try await stage.queue.settle(as: .ann, [again, Settlement(taken[1].key, rows: [], fate: .dead("test"))])
        try await stage.failOver()
        _ = try await stage.queue.beat(as: .ann)
        let status = try await stage.queue.status()
        #expect(status.delayed == 1 && status.dead == 1 && status.outcomes == 0)
        #expect(status.waiting == (hasALaterOne ? 0 : 1))
        // Once more, on the server that has them.
        stage.queue.serverChanged()
        _ = try await stage.queue.beat(as: .ann)
        let after = try await stage.queue.status()
        #expect(after.delayed == 1 && after.dead == 1)
    }

    @Test func whatTheNewMasterThinksIsWaitingIsStillTheWorkers() async throws {
        let stage = try await FailoverStage()
        try await stage.queue.enqueue((0..<5).map { _ in try .sample() } + [.sample(600)])
        try await stage.cutOff()
        // One process dies with its server; the other has entries before and after.
        let before = try await stage.queue.take(as: .ann, tokens: 2)
        let dead = try await stage.bench.queue.take(as: .bob, tokens: 2)
        let after = try await stage.queue.take(as: .ann, tokens: 601)
        try await stage.queue.offer(as: .ann, [after[1].key: 256])
        #expect(before.count == 2 && dead.count == 2 && after.count == 2)
        try await stage.failOver()
        let eve = WorkerID("eve-1")
        #expect(try await stage.queue.take(as: eve, tokens: 9).isEmpty, "None of them is waiting.")
        #expect(try await stage.queue.recover(as: .ann, besides: []).map(\.key) == (before + after).map(\.key))
        let counters = try await stage.queue.beat(as: eve)
        let lost = WorkerID("failover")
        let over = try await stage.queue.reclaim(from: lost, at: counters[lost] ?? 9, as: eve, limit: 9)
        #expect(over.map(\.key) == dead.map(\.key) && over.allSatisfy { $0.doubts == 1 && $0.offered == 1 })
        let doubts = try await stage.queue.reclaim(from: .ann, at: counters[.ann] ?? 9, as: eve, limit: 9)
        #expect(doubts.map(\.offered) == [1, 1, 1, 256])
    }

    /// More than one script looks at: each goes on where the one before it ended.
    @Test func aLongGapBeforeWhatAWorkerHasIsClaimedInSteps() async throws {
        let stage = try await FailoverStage()
        try await stage.queue.enqueue((0..<2_010).map { _ in try .sample() })
        try await stage.cutOff()
        for _ in 0..<2 { #expect(try await stage.bench.queue.take(as: .bob, tokens: 1_000).count == 1_000) }
        let mine = try await stage.queue.take(as: .ann, tokens: 5)
        #expect(mine.count == 5)
        try await stage.failOver()
        #expect(try await stage.queue.take(as: .ann, tokens: 9).count == 5, "These were never taken.")
        #expect(try await stage.bench.taken(stage.queue) == [.ann: 10, WorkerID("failover"): 2_000])
        #expect(try await stage.queue.recover(as: .ann, besides: []).prefix(5).map(\.key) == mine.map(\.key))
    }

    @Test func anEntryThatTheNewMasterNeverHadHidesNoLaterOne() async throws {
        let stage = try await FailoverStage()
        try await stage.queue.enqueue([.sample()])
        try await stage.cutOff()
        #expect(try await stage.bench.queue.take(as: .bob, tokens: 9).count == 1)
        // The old master's clock is ahead.
        try await stage.bench.redis("XADD", stage.bench.key(), "2700000000000-0", "a", "b")
        #expect(try await stage.queue.take(as: .ann, tokens: 9).count == 1)
        try await stage.failOver()
        _ = try await stage.queue.beat(as: .ann)
        try await stage.queue.enqueue([.sample()])
        #expect(try await stage.queue.take(as: .ann, tokens: 9).count == 1, "The new one has a lower key.")
        #expect(try await stage.bench.taken(stage.queue) == [.ann: 1, WorkerID("failover"): 1])
    }

    @Test func aServerThatLacksNothingIsLeftAsItIs() async throws {
        var options = RedisQueue.Configuration()
        options.quietAfterFailover = .seconds(3_600)
        let bench = try QueueBench(options: options)
        try await bench.queue.open(as: .ann)
        for _ in 0..<4 { try await bench.put(2) }
        let taken = try await bench.queue.take(as: .ann, tokens: 6)
        try await bench.queue.settle(as: .ann, [taken[0].done()])
        try await bench.queue.settle(
            as: .ann, [Settlement(taken[1].key, rows: [], fate: .again(notBefore: .distantFuture))])
        let status = try await bench.queue.status()
        bench.queue.serverChanged()
        #expect(try await bench.queue.take(as: .bob, tokens: 9).isEmpty, "Nothing is taken for an hour.")
        #expect(try await bench.queue.status() == status)
        #expect(try await bench.rows().count == 2)
    }

    @Test(.timeLimit(.minutes(5))) func aQueueWithItsOwnConnectionsSeesAnotherServer() async throws {
        var kept = RedisServer.Options()
        kept.appendOnly = true
        let server = try RedisServer(kept)
        var options = RedisQueue.Configuration()
        options.quietAfterFailover = .seconds(3_600)
        let queue = try RedisQueue("own", connection: .patient(server.url), configuration: options)
        try await queue.open(as: .ann)
        try await queue.enqueue((0..<3).map { _ in try .sample() })
        let taken = try await queue.take(as: .ann, tokens: 1)
        #expect(taken.count == 1)
        try server.restart()
        var seen: [TakenEntry]?
        // A call finds out about the new server, and may fail.
        while seen == nil { seen = try? await queue.take(as: .ann, tokens: 9) }
        #expect(seen?.isEmpty == true, "It comes from another server.")
        #expect(try await queue.take(as: .ann, tokens: 9).isEmpty, "Nothing is taken for an hour.")
        let status = try await queue.status()
        #expect(status.waiting == 2 && status.workers == [.ann: WorkerStanding(taken: 1)])
    }

    @Test func aNewMasterThatEvictsIsRefusedUntilItDoesNot() async throws {
        let stage = try await FailoverStage()
        try await stage.queue.enqueue([.sample()])
        let taken = try await stage.queue.take(as: .ann, tokens: 1)
        try await stage.cutOff()
        try await stage.queue.settle(as: .ann, [taken[0].done()])
        let replica = try stage.replica.connect()
        try await replica("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        try await stage.failOver()
        for _ in 0..<2 {
            let caught = await #expect(throws: QueueError.self) { _ = try await stage.queue.beat(as: .ann) }
            #expect(caught?.code == .refused)
        }
        try await replica("CONFIG", "SET", "maxmemory-policy", "noeviction")
        _ = try await stage.queue.beat(as: .ann)
        #expect(try await stage.rows() == taken[0].rows())
    }

    /// A quiet time for all workers, so that each brings what it has before others take it.
    @Test func afterAFailoverNothingIsTakenForTwoSeconds() async throws {
        let bench = try QueueBench()
        #expect(RedisQueue.Configuration().quietAfterFailover == .seconds(2))
        try await bench.queue.open(as: .ann)
        try await bench.put()
        bench.queue.serverChanged()
        let start = ContinuousClock.now
        var taken: [TakenEntry] = []
        while taken.isEmpty {
            taken = try await bench.queue.take(as: .ann, tokens: 9)
            if taken.isEmpty { try await bench.queue.wait(as: .ann, upTo: .seconds(60)) }
        }
        #expect(start.duration(to: .now) >= .seconds(2) && taken.count == 1)
    }

    /// What the replica got by `WAIT` is there after the failover, without any repetition.
    @Test func afterAFailoverWhatWaitedForTheReplicaIsThere() async throws {
        let stage = try await FailoverStage()
        var options = RedisQueue.Configuration()
        options.replicas = 1
        options.replicaTimeout = .seconds(30)
        let queue = try stage.bench.another(options)
        try await queue.enqueue([.sample(), .sample(), .sample()])
        let taken = try await queue.take(as: .bob, tokens: 2)
        try await queue.settle(as: .bob, [taken[0].done()])
        try await stage.replica.connect()("REPLICAOF", "NO", "ONE")
        try await stage.failOver()
        let status = try await stage.queue.status()
        #expect(status.waiting == 1 && status.taken == 1 && status.outcomes == 1)
    }

    /// What the old master stored lies an hour ahead of the new one's clock.
    @Test func theClockOfTheNewMasterIsBehind() async throws {
        let stage = try await FailoverStage()
        let ahead = Int(Date().timeIntervalSince1970 * 1_000) + 3_600_000
        let token = String(repeating: "ab", count: 32)
        for number in 0..<3 {
            try await stage.bench.redis(
                "XADD", stage.bench.key(), "\(ahead)-\(number)", "payload", #"{"aps":{}}"#, "tokens", token)
        }
        try await stage.queue.enqueue([.sample(1, notBefore: Date() - 1)])
        let taken = try await stage.queue.take(as: .ann, tokens: 2)
        try await stage.queue.settle(as: .ann, [taken[0].done()])
        try await stage.bench.redis("XADD", stage.bench.key("o"), "\(ahead)-0", "n", "0", "rows", "")
        try await stage.bench.redis("HSET", stage.bench.key("beats"), "ann-1", "\(ahead)")
        try await stage.cutOff()
        try await stage.failOver()
        // Heartbeats, rates and waits go on, and nothing is negative.
        _ = try await stage.queue.beat(as: .bob)
        let workers = try await stage.queue.status().workers
        #expect(workers[.ann]?.silence == .zero && workers[.ann]?.taken == 1)
        #expect(try await stage.queue.permit(as: .ann, tokens: 1, rate: QueueRate(perSecond: 5)).tokens == 1)
        // New entries and new rows come after the old ones.
        let entry = try QueueEntry.sample()
        let delayed = try QueueEntry.sample(1, notBefore: Date() + 0.02)
        try await stage.queue.enqueue([entry, delayed])
        var ids: [EntryID] = []
        while ids.count < 4 {
            let more = try await stage.queue.take(as: .ann, tokens: 1)
            ids += try more.map { try $0.entry.get().id }
            try await stage.queue.settle(as: .ann, more.map { try $0.done() })
            if more.isEmpty { try await stage.queue.wait(as: .ann, upTo: .seconds(60)) }
        }
        #expect(ids.suffix(2) == [entry.id, delayed.id])
        #expect(try await stage.rows().suffix(2).map(\.entry) == [entry.id, delayed.id])
        #expect(try await stage.queue.recover(as: .ann, besides: []).map(\.key) == [taken[1].key])
    }

    /// The list of outcomes lies ahead of both clocks, so that both servers give the same id.
    @Test func rowsOfAnotherWorkerWithTheSameIDAreNotTakenForItsOwn() async throws {
        let stage = try await FailoverStage()
        try await stage.queue.enqueue([.sample(), .sample()])
        try await stage.bench.redis("XADD", stage.bench.key("o"), "2700000000000-0", "n", "0", "rows", "")
        let mine = try await stage.queue.take(as: .ann, tokens: 1)
        try await stage.cutOff()
        try await stage.queue.settle(as: .ann, [mine[0].done()])
        let successor = try stage.replica.connect()
        let other = try FailoverStage.queue(stage.bench, successor)
        let others = try await other.take(as: .bob, tokens: 1)
        try await other.settle(as: .bob, [others[0].done()])
        try await stage.failOver()
        _ = try await stage.queue.beat(as: .ann)
        #expect(try await stage.rows() == others[0].rows() + mine[0].rows())
    }

    /// A heartbeat may be under way beside another call. That one must not find the new master before it has caught up.
    @Test func callsBesideAHeartbeatWaitUntilTheNewMasterHasCaughtUp() async throws {
        let stage = try await FailoverStage()
        try await stage.queue.enqueue((0..<50).map { _ in try .sample(600) })
        try await stage.cutOff()
        let taken = try await stage.queue.take(as: .ann, tokens: 30_000)
        #expect(taken.count > 2)
        try await stage.failOver()
        async let counters = stage.queue.beat(as: .ann)
        async let offer: Void = stage.queue.offer(as: .ann, [taken[0].key: 256])
        async let another: Void = stage.queue.offer(as: .ann, [taken[1].key: 256])
        _ = try await (counters, offer, another)
        #expect(try await stage.bench.taken(stage.queue) == [.ann: taken.count])
    }

    /// The new master does not know that the entry is taken, so it gives it to a call that was on its way. The process that
    /// has it in flight comes before that call's answer, or after it.
    @Test(arguments: [false, true])
    func aTakeThatReachesTheNewMasterFirstLeavesAnEntryToTheWorkerThatHasIt(isBeforeTheAnswer: Bool) async throws {
        let stage = try await FailoverStage()
        let owners = SwitchedRedis(try stage.bench.server.connect())
        let owner = try FailoverStage.queue(stage.bench, owners)
        try await stage.queue.enqueue([.sample(600)])
        try await stage.cutOff()
        let taken = try #require(try await owner.take(as: .bob, tokens: 9).first)
        try await owner.offer(as: .bob, [taken.key: 256])
        let client = HookedRedis(stage.client)
        let queue = try FailoverStage.queue(stage.bench, client)
        // The new server gets the script first, so that the call is the one that reaches it.
        _ = try await stage.other().take(as: .ann, tokens: 1)
        let successor = try stage.replica.connect()
        @Sendable func bringTheOwner() async throws(QueueError) {
            owners.lead(to: successor)
            owner.serverChanged()
            _ = try await owner.beat(as: .bob)
        }
        client.hook(
            before: { () throws(QueueError) in
                stage.client.lead(to: successor)
                queue.serverChanged()
            },
            after: { () throws(QueueError) in
                if isBeforeTheAnswer { try await bringTheOwner() }
            })
        #expect(try await queue.take(as: .ann, tokens: 9).isEmpty)
        if !isBeforeTheAnswer { try await bringTheOwner() }
        #expect(try await queue.take(as: .ann, tokens: 9).isEmpty)
        #expect(try await stage.bench.taken(owner) == [.bob: 1])
        try await owner.offer(as: .bob, [taken.key: 512])
    }

    /// The call was on its way when the connection came to the new master. No other worker has the entries.
    @Test func anOfferThatReachesTheNewMasterFirstIsNoLossOfTheLease() async throws {
        let stage = try await FailoverStage()
        let client = LossyRedis(stage.client)
        let queue = try FailoverStage.queue(stage.bench, client)
        try await queue.enqueue([.sample(600)])
        try await stage.cutOff()
        let taken = try #require(try await queue.take(as: .ann, tokens: 9).first)
        try await queue.offer(as: .ann, [taken.key: 100])
        // The new server gets the script first, so that the call is the one that reaches it.
        _ = try? await stage.other().offer(as: .ann, [TakenEntry.Key("1-1"): 1])
        try stage.failOver(duringTheNextCallOf: queue, client)
        let caught = await #expect(throws: QueueError.self) { try await queue.offer(as: .ann, [taken.key: 256]) }
        #expect(caught?.code == .unreachable)
        try await queue.offer(as: .ann, [taken.key: 256])
        #expect(try await queue.recover(as: .bob, besides: []).isEmpty)
        #expect(try await queue.recover(as: .ann, besides: []).map(\.offered) == [0])
    }

    /// What the new server is brought does not tell of the offer, so the worker must not send anything yet.
    @Test func anOfferWhoseAnswerCameFromAnotherServerIsRepeated() async throws {
        let bench = try QueueBench()
        let client = HookedRedis(try bench.server.connect())
        let queue = try FailoverStage.queue(bench, client)
        try await queue.enqueue([.sample(600)])
        let taken = try #require(try await queue.take(as: .ann, tokens: 9).first)
        client.hook(before: { () throws(QueueError) in }, after: { () throws(QueueError) in queue.serverChanged() })
        let caught = await #expect(throws: QueueError.self) { try await queue.offer(as: .ann, [taken.key: 256]) }
        #expect(caught?.code == .unreachable)
        try await queue.offer(as: .ann, [taken.key: 256])
        #expect(try await queue.reclaim(from: .ann, at: 0, as: .bob, limit: 9).map(\.offered) == [256])
    }

    /// The call was on its way when the connection came to the new master, which does not have the last settle yet.
    @Test(arguments: [false, true])
    func whatWasSettledInTheLagIsNotFoundByACallThatReachesTheNewMasterFirst(isReclaimed: Bool) async throws {
        let stage = try await FailoverStage()
        let client = LossyRedis(stage.client)
        let queue = try FailoverStage.queue(stage.bench, client)
        let owner = isReclaimed ? WorkerID.bob : .ann
        func find() async throws(QueueError) -> [TakenEntry] {
            if isReclaimed { return try await queue.reclaim(from: .bob, at: 0, as: .ann, limit: 9) }
            return try await queue.recover(as: .ann, besides: [])
        }
        try await queue.enqueue([.sample(), .sample(2)])
        let taken = try await queue.take(as: owner, tokens: 9)
        #expect(taken.count == 2)
        try await stage.cutOff()
        try await queue.settle(as: owner, [taken[0].done()])
        try stage.failOver(duringTheNextCallOf: queue, client)
        let caught = await #expect(throws: QueueError.self) { try await find() }
        #expect(caught?.code == .unreachable)
        #expect(try await queue.recover(as: .ann, besides: []).map(\.key) == [taken[1].key])
        #expect(try await queue.outcomes(.all, after: nil, limit: 9).outcomes == taken[0].rows())
    }
}
