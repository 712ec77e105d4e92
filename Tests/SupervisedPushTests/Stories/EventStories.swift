import ProcessRuntime
import PushLocking
import PushSimulator
import TestSupport
import Testing

@testable import SupervisedPush

@Suite("the events of a connection, and of all", .timeLimit(.minutes(5))) struct EventStories {
    /// An event in few words.
    private func words(_ event: ConnectionEvent) -> String {
        switch event.kind {
        case .current(let phase, _, _): "current \(phase)"
        case .connectionUp: "up"
        case .down: "down"
        case .givenUp: "given up"
        default: "\(event)"
        }
    }

    /// The events until the end.
    private func rest(_ reader: inout ConnectionEvents.Iterator) async -> [ConnectionEvent] {
        var events: [ConnectionEvent] = []
        while let event = await reader.next() { events.append(event) }
        return events
    }

    private func waitUntilUp(_ reader: inout ConnectionEvents.Iterator) async {
        while let event = await reader.next() { if case .connectionUp = event.kind { return } }
        Issue.record("the events ended before the connection was up")
    }

    // MARK: One connection

    @Test func twoReadersBothSeeEverything() async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        try await orders.waitUntilUp()
        let pid = try #require(orders.pid)
        var (first, second) = (orders.events.makeAsyncIterator(), orders.events.makeAsyncIterator())
        var third = orders.events.makeAsyncIterator()
        stage.runtime.kill(pid)
        await waitUntilUp(&third)
        await orders.close()
        let (one, two) = await (rest(&first), rest(&second))
        #expect(one.map(words) == ["current up", "down", "up", "down"])
        #expect(two.map(\.description) == one.map(\.description))
        #expect(one.allSatisfy { $0.name == "orders" } && one.prefix(2).allSatisfy { $0.pid == pid })
        await stage.end()
    }

    @Test func aReaderLearnsAtOnceWhereTheConnectionStands() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        var early = orders.events.makeAsyncIterator()
        guard case .current(.dialing, orders.pid, 0)? = await early.next()?.kind else {
            Issue.record("not current")
            return
        }
        let other = try stage.runtime.connect(name: "other", config: stage.config)
        await stage.end()
        #expect(await rest(&early).map(words) == ["down"])
        var late = other.events.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func theLoopEndsWhenTheConnectionIsClosed() async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        let loop = Task {
            var seen: [ConnectionEvent] = []
            for await event in orders.events { seen.append(event) }
            return seen
        }
        try await until { try orders.served().hub.subscriberCount != 0 }
        await orders.close()
        #expect(await loop.value.map(words).last == "down")
        await stage.end()
    }

    @Test func theLoopEndsWhenItsTaskIsCancelled() async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        let loop = Task { for await _ in orders.events {} }
        let all = Task { for await _ in stage.runtime.events {} }
        let hub = try orders.served().hub
        await until { hub.subscriberCount >= 2 }
        loop.cancel()
        all.cancel()
        await loop.value
        await all.value
        #expect(hub.subscriberCount == 0 && stage.runtime.board.readerCount == 0)
        await stage.end()
    }

    @Test func whoLeavesTheLoopIsUnsubscribed() async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        let hub = try orders.served().hub
        func firstOf(_ events: ConnectionEvents) async -> ConnectionEvent? {
            for await event in events {
                #expect(hub.subscriberCount == 1)
                return event
            }
            return nil
        }
        #expect(await firstOf(orders.events)?.name == "orders")
        #expect(hub.subscriberCount == 0)
        #expect(await firstOf(stage.runtime.events)?.name == "orders")
        #expect(hub.subscriberCount == 0 && stage.runtime.board.readerCount == 0)
        await stage.end()
    }

    @Test func aHandleOfAProcessThatHasEndedHasNoEvents() async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        let pid = try #require(orders.pid)
        let process = try stage.runtime.connection(pid)
        var reader = orders.events.makeAsyncIterator()
        stage.runtime.kill(pid)
        while let event = await reader.next() { if case .down = event.kind { break } }
        var none = process.events.makeAsyncIterator()
        #expect(await none.next() == nil)
        await stage.end()
    }

    // MARK: All connections

    @Test func theRuntimeTellsTheEventsOfAllConnectionsWithTheirNames() async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        try await orders.waitUntilUp()
        var reader = stage.runtime.events.makeAsyncIterator()
        // These begin after the reader.
        let news = try stage.runtime.connect(name: "news", config: stage.config)
        let anonymous = try stage.runtime.connect(config: stage.config)
        let pids = [orders.pid, news.pid, anonymous.pid]
        for connection in [news, anonymous] { try await connection.waitUntilUp() }
        await stage.end()
        let events = await rest(&reader)
        let expected =
            [["current up", "down"]] + [["current dialing", "up", "down"], ["current dialing", "up", "down"]]
        for (number, (pid, words)) in zip(pids, expected).enumerated() {
            let own = events.filter { $0.pid == pid }
            #expect(own.map(self.words) == words)
            #expect(own.allSatisfy { $0.name == ["orders", "news", nil][number] })
        }
        #expect(events.count == 8)
        var late = stage.runtime.events.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func aPoolTellsTheEventsOfItsConnections() async throws {
        let stage = try Rehearsal.inMemory()
        var all = stage.runtime.events.makeAsyncIterator()
        let bulk = try stage.runtime.connect(name: "bulk", size: 2, config: stage.config)
        var own = bulk.events.makeAsyncIterator()
        let pid = try #require(bulk.pid)
        for member in bulk.members { try await member.waitUntilUp() }
        await stage.end()
        let (events, same) = await (rest(&all), rest(&own))
        // The events of different connections have no order among them; the pool itself is first and last.
        #expect(events.allSatisfy { $0.name == "bulk" } && events.first?.pid == pid && events.last?.pid == pid)
        let byProcess = Dictionary(grouping: events, by: \.pid).mapValues { $0.map(words) }
        #expect(byProcess.count == 3 && byProcess[pid] == ["current dialing", "down"])
        #expect(byProcess.values.count { $0 == ["up", "down"] } == 2)
        #expect(same.last?.pid == pid && same.last.map(words) == "down")
    }

    @Test func theLoopOverAllEndsWithAReleasedRuntime() async throws {
        let stage = try Rehearsal.inMemory()
        var runtime: PushRuntime? = stage.anotherRuntime()
        let events = try #require(runtime?.events)
        let loop = Task { for await _ in events {} }
        await until { runtime?.board.readerCount != 0 }
        runtime = nil
        await loop.value
        await stage.end()
    }
}
