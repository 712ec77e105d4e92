import FoundationEssentials
import ProcessRuntime
import PushLocking
import PushSimulator
import TestSupport
import Testing

@testable import SupervisedPush

@Suite(.timeLimit(.minutes(5))) struct LifecycleHubTests {
    private typealias Box = Mailbox<LifecycleMessage>

    private func hub() -> LifecycleHub {
        let hub = LifecycleHub(name: "orders", owner: nil, time: ManualTime())
        hub.began(ProcessID(7))
        return hub
    }

    private func up(_ generation: Int) -> LifecycleMessage {
        .connectionUp(pid: ProcessID(7), name: nil, generation: generation)
    }

    @Test func aWishOfAReceiverMaySubscribe() async {
        let hub = hub()
        let (mailbox, other) = (Box(), Box())
        #expect(hub.subscribe(mailbox))
        let looked = Recorder<LifecycleMessage>()
        let receiver = Task {
            await mailbox.receive { message in
                looked.record(message)
                return if case .connectionUp = message { hub.subscribe(other) } else { false }
            }
        }
        await looked.wait(for: 1)
        hub.post(up(1))
        #expect(await receiver.value != nil)
        guard case .current(.up, _, 1)? = await other.receive() else { Issue.record("not current"); return }
    }

    @Test func whoSubscribesBeforeTheFirstProcessGetsTheStandingWhenItBegins() async {
        let hub = LifecycleHub(name: "orders", owner: nil, time: ManualTime())
        let mailbox = Box()
        #expect(hub.subscribe(mailbox) && mailbox.count == 0)
        hub.began(ProcessID(7))
        hub.began(ProcessID(8))
        hub.post(up(1))
        guard case .current(.dialing, ProcessID(7), 0)? = await mailbox.receive() else {
            Issue.record("not current")
            return
        }
        #expect(mailbox.count == 1)
    }

    @Test func subscribersThatWentDoNotPileUp() {
        let hub = hub()
        let kept = (0..<100).map { _ in Box() }
        for mailbox in kept { #expect(hub.subscribe(mailbox)) }
        for _ in 0..<10_000 { #expect(hub.subscribe(Box())) }
        #expect(hub.subscriberCount <= 2 * kept.count + 64)
        hub.post(up(1))
        #expect(hub.subscriberCount == kept.count)
        #expect(kept.allSatisfy { $0.count == 2 })
    }

    @Test func atTheEndCallersAreToldAndSubscribersKeepTheirMailboxes() {
        let hub = hub()
        let (caller, subscriber) = (Box(), Box())
        #expect(hub.subscribe(caller, closesAtEnd: true) && hub.subscribe(subscriber))
        hub.end()
        #expect(caller.isClosed && !subscriber.isClosed)
        #expect(!hub.subscribe(subscriber) && hub.phase == nil)
    }

    @Test func watchersAreCalledWithEachPhaseBeforeAnybodyReadsOfIt() throws {
        let hub = hub()
        let seen = Locked<[ConnectionPhase?]>([])
        let box = Box()
        #expect(hub.subscribe(box))
        let look: @Sendable () -> Void = { [weak hub] in
            let phase = hub?.phase
            seen.withLock { $0.append(phase) }
        }
        let forget: @Sendable () -> Void = { seen.withLock { $0 = [] } }
        let watch = try #require(hub.watch(look))
        let left = try #require(hub.watch(forget))
        hub.unwatch(left)
        hub.post(up(1))
        hub.post(.down(pid: ProcessID(7), reason: .killed))
        hub.post(.overflowed(1))
        hub.began(ProcessID(8))
        hub.stands(.suspended, generation: 0)
        hub.end()
        #expect(seen.withLock { $0 } == [.up, .down, .dialing, .suspended, nil])
        hub.unwatch(watch)
        #expect(hub.watch(look) == nil)
    }

    @Test func theStandingFollowsTheMessages() {
        let hub = hub()
        let cause = LinkFailure(.connect, "refused")
        #expect(hub.standing.phase == .dialing && hub.standing.pid == ProcessID(7) && hub.standing.generation == 0)
        hub.post(up(1))
        #expect(hub.standing.phase == .up && hub.standing.generation == 1)
        hub.post(.replacementFailed(pid: ProcessID(7), name: nil, attempt: 1, delay: .zero, cause: cause))
        #expect(hub.standing.phase == .up && hub.standing.outage == nil, "the link in use works")
        hub.post(.reconnecting(pid: ProcessID(7), name: nil, attempt: 3, delay: .seconds(2), cause: cause))
        let next = Date(ManualTime()).addingTimeInterval(2)
        #expect(hub.standing.outage == Outage(cause: cause, attempt: 3, nextAttempt: next))
        hub.stands(.dialing, generation: 2)
        #expect(hub.standing.phase == .dialing)
        #expect(hub.standing.outage == Outage(cause: cause, attempt: 3, nextAttempt: nil), "it is under way")
        hub.began(ProcessID(8))
        let standing = hub.standing
        #expect(standing.pid == ProcessID(8) && standing.generation == 0 && standing.outage?.cause == cause)
        hub.end()
        hub.stands(.up, generation: 1)
        #expect(hub.phase == nil && hub.pid == ProcessID(8), "the end is final, and the last process is known")
    }

    @Test func aPoolStandsAsTheBestOfItsConnections() {
        #expect(ConnectionPhase(ofPool: [.down, .up, .suspended]) == .up)
        #expect(ConnectionPhase(ofPool: [.down, .dialing, .suspended]) == .dialing)
        #expect(ConnectionPhase(ofPool: [.suspended, .down]) == .down)
        #expect(ConnectionPhase(ofPool: [.suspended, .suspended]) == .suspended)
        #expect(ConnectionPhase(ofPool: []) == .down)
    }

    @Test func whoWatchesAPoolIsToldOfItsConnections() async throws {
        let stage = try await PoolStage(2...2)
        let pool = try #require(try stage.runtime.registry.destination(named: "bulk") as? PoolEntry)
        let phases = Locked<[ConnectionPhase?]>([])
        _ = pool.hub.watch { [weak pool] in
            // Looked at under the lock, so that a look that follows another is also noted after it.
            phases.withLock { $0.append(pool?.hub.phase) }
        }
        let box = Box()
        #expect(pool.hub.subscribe(box))
        guard case .current(.up, pool.pid, 0)? = await box.receive() else { Issue.record("not current"); return }
        stage.apple.refuseConnections()
        await stage.apple.cutConnections()
        await stage.reaches("told that none is up") { phases.withLock { $0.last == .down } }
        #expect(pool.serving.allSatisfy { $0.hub.standing.outage != nil })
        stage.apple.acceptConnections()
        await stage.reaches("told that one is up") {
            stage.passesALook()
            return phases.withLock { $0.last == .up }
        }
        await stage.end()
        #expect(phases.withLock { $0.last == .some(nil) })
    }

    @Test func aWaitForALinkSurvivesAFullMailbox() async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        try await orders.waitUntilUp()
        let hub = try orders.served().hub
        let mailbox = Box(limit: 1)
        _ = mailbox.post(.draining(pid: ProcessID(7), name: nil, generation: 1, reason: nil))
        // That it is up finds no room.
        #expect(hub.subscribe(mailbox, closesAtEnd: true))
        try await orders.waitUntilUp(by: stage.runtime.now, hub: hub, reading: mailbox, timeout: .zero)
        await stage.end()
    }

    @Test func whoWaitsForALinkOrForIdlenessLeavesNothingBehind() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        for _ in 0..<5 { try await stage.runtime.connection(named: "orders").waitUntilUp() }
        let entry = try #require(try stage.runtime.registry.destination(named: "orders") as? ConnectionEntry)
        #expect(entry.hub.subscriberCount == 0)
        stage.apple.holdAnswers()
        try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token())
        #expect(try await !stage.runtime.connection(named: "orders").drain(within: .zero))
        #expect(entry.room.read { $0.watchers.idle.count } == 0)
        await stage.end()
    }
}
