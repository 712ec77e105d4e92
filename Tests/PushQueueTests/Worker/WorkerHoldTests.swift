import Foundation
import ProcessRuntime
import PushTesting
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

/// A campaign that is paused or cancelled, as the machine of a worker sees it that has entries of it.
@Suite struct WorkerHoldTests {
    private static func held(_ hold: QueueCampaign.Hold?) throws -> WorkerHarness.Event {
        let spring = try CampaignName("spring")
        return .held(hold.map { [spring: $0] } ?? [:])
    }

    @Test func whatIsNotSentOfAPausedCampaignGoesBackAndTheRestGoesOn() throws {
        var worker = WorkerHarness(room: 9)
        _ = worker.take(.sample("a", 5, campaign: "spring"), .sample("b", 5), .sample("c", 5, campaign: "spring"))
        let held = try Self.held(.paused)
        #expect(worker.feed(held) == [.withdraw(TakenEntry.Key("a")), .release("c")])
        #expect(worker.feed(.released) == [.forget("c")])
        #expect(worker.end("a", 0..<2) == [])
        #expect(worker.end("a", 2..<5, .unsent) == [])
        let end = WorkerHarness.Action.settle("a", [0, 1], .again(Date(timeIntervalSince1970: 0), retries: 0))
        #expect(worker.advance(by: .milliseconds(20)) == [end])
        #expect(worker.feed(.settled) == [.forget("a")])
        #expect(worker.machine.campaigns == [])
        #expect(worker.end("b", 0..<5) == [])
    }

    @Test func whatIsInDoubtOfAPausedCampaignGoesBackWithItsDoubtsOnceItsOutcomesAreStored() throws {
        var worker = WorkerHarness(room: 9)
        _ = worker.take(.sample("a", 3, offered: 3, doubts: 1, campaign: "spring"))
        let held = try Self.held(.paused)
        #expect(worker.feed(held) == [.withdraw(TakenEntry.Key("a"))])
        #expect(worker.end("a", 0..<1) == [])
        #expect(worker.end("a", 1..<3, .unsent) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", [0], .open)])
        #expect(worker.feed(.settled) == [.release("a")])
    }

    @Test func aSuspectOfAPausedCampaignDoesNotHoldUpTheOthers() throws {
        var worker = WorkerHarness(room: 9)
        _ = worker.take(.sample("a", 3, offered: 3, doubts: 2, campaign: "spring"))
        _ = try worker.feed(Self.held(.paused))
        #expect(worker.end("a", 0..<3, .unsent) == [.release("a")])
        worker.isQuiet = false
        #expect(worker.feed(.released) == [.forget("a"), .take(tokens: 9)])
    }

    @Test func aCampaignThatGoesOnBeforeItsEntryWentBackChangesNothing() throws {
        var worker = WorkerHarness(room: 9)
        _ = worker.take(.sample("a", 3, campaign: "spring"))
        _ = try worker.feed(Self.held(.paused))
        let held = try Self.held(nil)
        #expect(worker.feed(held) == [])
        #expect(worker.end("a", 0..<3, .unsent) == [.release("a")])
    }

    @Test func aCancelledCampaignEndsWithoutOutcomesForWhatWasNotSent() throws {
        var worker = WorkerHarness(room: 9)
        _ = worker.take(.sample("a", 5, campaign: "spring"))
        let held = try Self.held(.cancelled)
        #expect(worker.feed(held) == [.withdraw(TakenEntry.Key("a"))])
        #expect(worker.end("a", 0..<1) == [])
        #expect(worker.end("a", 1..<5, .unsent) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", [0], .cancelled)])
        #expect(worker.feed(.settled) == [.forget("a")])
        #expect(worker.machine.openTokens == 0)
    }

    @Test func whatIsInDoubtOfACancelledCampaignEndsUnknownAndIsNotPushed() {
        var worker = WorkerHarness(room: 9)
        let part = WorkerMachine.Part.of("a", [0, 1], .interrupted, .cancelled)
        let taken = WorkerMachine.Facts.sample("a", 5, offered: 2, doubts: 1, campaign: "spring", hold: .cancelled)
        #expect(worker.take(taken) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle([part])])
        #expect(worker.feed(.settled) == [.forget("a")])
        #expect(worker.machine.openTokens == 0 && worker.machine.suspect == nil)
    }

    @Test func whatALostReplyTellsOfAPausedCampaignGoesBackAtOnce() {
        var worker = WorkerHarness(room: 9)
        #expect(worker.take(.sample("a", 3, campaign: "spring", hold: .paused)) == [.release("a")])
    }

    @Test func aCancelledEntryWithThreeDoubtsIsNoDeadLetter() {
        var worker = WorkerHarness(room: 9)
        let taken = WorkerMachine.Facts.sample("a", 300, offered: 1, doubts: 3, campaign: "spring", hold: .cancelled)
        #expect(worker.take(taken) == [])
        let part = WorkerMachine.Part.of("a", [0], .interrupted, .cancelled)
        #expect(worker.advance(by: .milliseconds(20)) == [.settle([part])])
    }

    @Test func aCancelledEntryWithoutAnOpenDoubtIsEndedToo() {
        var worker = WorkerHarness(room: 9)
        let taken = WorkerMachine.Facts.sample(
            "a", 300, offered: 1, settled: TokenSet([0]), doubts: 2, campaign: "spring", hold: .cancelled)
        #expect(worker.take(taken) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", [], .cancelled)])
    }
}

/// The same over links.
@Suite(.timeLimit(.minutes(5))) struct WorkerHoldStories {
    /// A campaign of one entry with 200 tokens, of which the simulator answers nothing for a while.
    private static func put(_ queue: MemoryQueue) async throws -> CampaignName {
        let name = try CampaignName("spring")
        let place = try await queue.begin(name, with: CampaignInput(records: "aa", author: "anna"))
        let batch = CampaignBatch(after: place, through: 1, isLast: true)
        let tokens = (1...200).map { DeviceToken.simulated(number: $0) }
        try await queue.enqueue([QueueEntry(Samples.flight, to: tokens, id: batch.id(ofLine: 1))], as: batch)
        return name
    }

    @Test(arguments: [CampaignOrder.pause, .cancel])
    func anOrderReachesWhatAWorkerHasTaken(_ order: CampaignOrder) async throws {
        let time = ManualTime(wallClockMilliseconds: SystemTime().wallClockMilliseconds)
        try await withSimulatedAPNs(
            connecting: "orders", time: .manual(time), configure: { $0.settings.maxConcurrentStreams = 10 }
        ) { apple, runtime in
            apple.holdAnswers()
            let queue = MemoryQueue(time: time)
            let name = try await Self.put(queue)
            let worker = PushWorker(queue: queue, connection: try runtime.connection(named: "orders"), time: time)
            async let run: Void = worker.run()
            await until { apple.ledger.snapshot.pushes == 10 }
            try await queue.steer(order, campaign: name)
            // The worker asks again.
            time.advance(by: .milliseconds(800))
            await worker.wait { $0.inFlight == 10 }
            apple.releaseAnswers()
            await worker.wait { $0.inFlight == 0 }
            // Its outcomes wait so long for others.
            time.advance(by: .milliseconds(20))
            try await until { try #require(try await queue.campaigns().first).places.taken == 0 }
            let standing = try #require(try await queue.campaigns().first)
            #expect(standing.outcomes.delivered == 10)
            #expect(standing.outcomes.cancelled == (order == .cancel ? 190 : 0))
            #expect(standing.places.waiting == (order == .cancel ? 0 : 190))
            worker.stop(within: .seconds(10))
            try await run
            #expect(apple.ledger.snapshot.accepted == 10)
        }
    }
}
