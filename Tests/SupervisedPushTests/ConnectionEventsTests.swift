import FoundationEssentials
import ProcessRuntime
import PushSimulator
import TestSupport
import Testing

@testable import SupervisedPush

@Suite(.timeLimit(.minutes(5))) struct ConnectionEventsTests {
    private let time = ManualTime()

    private func makeHub() -> LifecycleHub {
        let hub = LifecycleHub(name: "orders", owner: nil, time: time)
        hub.began(ProcessID(7))
        return hub
    }

    private func events(_ hub: LifecycleHub) -> ConnectionEvents {
        ConnectionEvents(source: .connection(hub), time: time)
    }

    private func up(_ generation: Int) -> LifecycleMessage {
        .connectionUp(pid: ProcessID(7), name: "orders", generation: generation)
    }

    @Test func anEventHasTheTimeWhenItHappenedNotWhenItWasRead() async throws {
        let hub = makeHub()
        var reader = events(hub).makeAsyncIterator()
        let begin = Date(time)
        time.advance(by: .seconds(5))
        hub.post(up(1))
        time.advance(by: .seconds(5))
        #expect(await reader.next()?.time == begin)
        let event = try #require(await reader.next())
        #expect(event.time == begin.addingTimeInterval(5) && event.name == "orders")
    }

    @Test func aFullReaderLosesTheNewestAndHearsHowMany() async throws {
        let hub = makeHub()
        var reader = events(hub).makeAsyncIterator()
        // One place is taken by `current`.
        for generation in 1...10_001 { hub.post(up(generation)) }
        var last: ConnectionEvent?
        for _ in 1...10_000 { last = await reader.next() }
        guard case .connectionUp(_, _, 9_999)? = last?.kind else { Issue.record("\(String(describing: last))"); return }
        let lost = try #require(await reader.next())
        guard case .overflowed(2) = lost.kind else { Issue.record("\(lost)"); return }
        #expect(lost.name == "orders" && lost.time == Date(time))
        hub.post(up(10_002))
        guard case .connectionUp(_, _, 10_002)? = await reader.next()?.kind else { Issue.record("not up"); return }
    }

    @Test func theLoopEndsAfterWhatWasStillToRead() async throws {
        let hub = makeHub()
        var reader = events(hub).makeAsyncIterator()
        hub.post(up(1))
        hub.end()
        #expect(await reader.next() != nil)
        #expect(await reader.next() != nil)
        #expect(await reader.next() == nil)
        var late = events(hub).makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func aReleasedReaderIsUnsubscribedAtOnce() {
        let hub = makeHub()
        do {
            let reader = events(hub).makeAsyncIterator()
            #expect(hub.subscriberCount == 1)
            withExtendedLifetime(reader) {}
        }
        #expect(hub.subscriberCount == 0)
    }

    @Test func aMailboxOfEventsIsSubscribedOnce() {
        let hub = makeHub()
        let mailbox = Mailbox<ConnectionEventItem>()
        #expect(hub.subscribe(.events(mailbox)) && hub.subscribe(.events(mailbox)))
        hub.post(up(1))
        #expect(mailbox.count == 2 && hub.subscriberCount == 1)
    }

    @Test func withoutAReaderAConnectionHasNoSubscribers() throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        let hub = try orders.served().hub
        _ = (orders.events, stage.runtime.events)
        #expect(hub.subscriberCount == 0 && stage.runtime.board.readerCount == 0)
        stage.apple.stop()
    }
}
