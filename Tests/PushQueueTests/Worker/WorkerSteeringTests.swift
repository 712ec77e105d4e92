import Foundation
import ProcessRuntime
import PushTesting
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

/// A queue that is paused, goes on, or gets another rate, as its worker's machine sees it.
@Suite("parity: F23 – a worker that is paused and paced") struct WorkerSteeringTests {
    private static let paused = WorkerHarness.Event.steered(QueueSteering(isPaused: true))
    private static let running = WorkerHarness.Event.steered(QueueSteering())

    @Test func aWorkerOfAPausedQueueTakesNothingUntilItGoesOn() {
        var worker = WorkerHarness.new
        _ = worker.feed(Self.paused)
        #expect(worker.feed(.room(500)) == [])
        #expect(worker.feed(.opened) == [.beat])
        #expect(worker.feed(.beaten([WorkerHarness.me: 1])) == [])
        #expect(worker.feed(Self.running) == [.take(tokens: 500)])
        #expect(worker.news.count == 2)
    }

    @Test func aPauseGivesBackWhatWasNotSentAndEndsNothing() {
        var worker = WorkerHarness(room: 100)
        _ = worker.take(.sample("a", 200), .sample("b", 5))
        #expect(worker.machine.flying == 200)
        #expect(worker.feed(Self.paused) == [.withdraw(nil), .release("b")])
        #expect(worker.feed(.released) == [.forget("b")])
        // What was written gets its answer, and the rest goes back to the queue.
        #expect(worker.end("a", 0..<60) == [])
        #expect(worker.end("a", 60..<200, .unsent) == [])
        let end = WorkerHarness.Action.settle(
            "a", Array(0..<60), .again(Date(timeIntervalSince1970: 0), retries: 0))
        #expect(worker.advance(by: .milliseconds(20)) == [end])
        #expect(worker.feed(.settled) == [.forget("a")])
        #expect(worker.machine.entries.isEmpty)
    }

    @Test func whatIsInDoubtStaysWithAPausedWorkerAndGoesOutLater() {
        var worker = WorkerHarness(room: 100)
        _ = worker.take(.sample("a", 2, offered: 2, doubts: 1))
        #expect(worker.feed(Self.paused) == [.withdraw(nil)])
        #expect(worker.end("a", 0..<1) == [])
        #expect(worker.end("a", 1..<2, .unsent) == [])
        #expect(worker.advance(by: .seconds(2)) == [.settle("a", [0], .open)])
        #expect(worker.feed(.settled) == [])
        #expect(worker.feed(Self.running) == [.offer("a", 2)])
        #expect(worker.feed(.offered) == [.push("a", 1..<2, by: worker.after(.seconds(10)))])
    }

    @Test func anEntryThatComesDuringAPauseGoesBack() {
        var worker = WorkerHarness()
        _ = worker.feed(Self.paused)
        #expect(worker.feed(.took([.sample("a", 3)])) == [.release("a")])
    }

    @Test func aHeartbeatComesAlsoInAPause() {
        var worker = WorkerHarness()
        _ = worker.feed(.took([]))
        _ = worker.feed(Self.paused)
        #expect(worker.advance(by: .seconds(3)) == [.beat])
    }

    @Test func aRateOfTheQueueTakesThePlaceOfTheWorkersOwn() {
        let (own, queues) = (QueueRate(perSecond: 10), QueueRate(perSecond: 50))
        var worker = WorkerHarness(room: 0, rate: own)
        _ = worker.feed(.steered(QueueSteering(rate: queues)))
        #expect(worker.feed(.room(9)) == [.permit(tokens: 9, queues)])
        // The store's time went by the rate before.
        #expect(worker.feed(.permitted(PushPermit(tokens: 0, wait: .seconds(4)))) == [])
        #expect(worker.feed(Self.running) == [.permit(tokens: 9, own)])
    }

    @Test func aWorkerGetsAnotherRateWhileItWorks() {
        let (own, other, queues) = (QueueRate(perSecond: 10), QueueRate(perSecond: 20), QueueRate(perSecond: 50))
        var worker = WorkerHarness(room: 0, rate: own)
        #expect(worker.feed(.room(9)) == [.permit(tokens: 9, own)])
        #expect(worker.feed(.permitted(PushPermit(tokens: 0, wait: .seconds(4)))) == [])
        // The store's time went by the rate before.
        #expect(worker.feed(.paced(other)) == [.permit(tokens: 9, other)])
        #expect(worker.feed(.permitted(PushPermit(tokens: 0, wait: .seconds(4)))) == [])
        #expect(worker.feed(.steered(QueueSteering(rate: queues))) == [.permit(tokens: 9, queues)])
        #expect(worker.feed(.permitted(PushPermit(tokens: 0, wait: .seconds(4)))) == [])
        // That of the queue goes first, and the new one stands behind it.
        #expect(worker.feed(.paced(own)) == [])
        #expect(worker.feed(Self.running) == [.permit(tokens: 9, own)])
        #expect(worker.feed(.permitted(PushPermit(tokens: 0, wait: .seconds(4)))) == [])
        #expect(worker.feed(.paced(nil)) == [.take(tokens: 9)])
    }

    @Test func aWorkerWithoutARateKeepsThatOfTheQueueWhileItHasOne() {
        let rate = QueueRate(perSecond: 50)
        var worker = WorkerHarness(room: 0)
        _ = worker.feed(.steered(QueueSteering(rate: rate)))
        #expect(worker.feed(.room(9)) == [.permit(tokens: 9, rate)])
        #expect(worker.feed(.permitted(PushPermit(tokens: 3))) == [.take(tokens: 3)])
        #expect(worker.feed(.took([.sample("a", 3)])).last == .permit(tokens: 6, rate))
        #expect(worker.feed(.permitted(PushPermit(tokens: 0, wait: .seconds(4)))) == [])
        #expect(worker.feed(Self.running) == [.take(tokens: 6)])
    }
}

/// The same over links.
@Suite("parity: F23 – workers that are paused and paced", .timeLimit(.minutes(5))) struct WorkerSteeringStories {
    @Test func aRunningWorkerObeysAPauseAndGoesOn() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            let queue = MemoryQueue()
            try await queue.steer(.pause)
            try await queue.enqueue([QueueEntry(Samples.flight, to: [.simulated()])])
            let worker = PushWorker(queue: queue, connection: try runtime.connection(named: "orders"))
            async let run: Void = worker.run()
            for count in 1...2 {
                await worker.wait { $0.isPaused && $0.isLeased }
                #expect(try await queue.status().waiting == 1 && queue.outcomeCount == count - 1)
                try await queue.steer(.resume)
                await until { queue.outcomeCount == count }
                try await queue.steer(.pause)
                await worker.wait { $0.isPaused }
                try await queue.enqueue([QueueEntry(Samples.flight, to: [.simulated()])])
            }
            worker.stop(within: .seconds(10))
            try await run
            #expect(try await queue.status().waiting == 1 && apple.ledger.snapshot.accepted == 2)
        }
    }
}
