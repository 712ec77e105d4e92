import FoundationEssentials
import ProcessRuntime
import PushSimulator
import PushTransport
import SupervisedPush
import TestSupport
import Testing

/// Without a link, whatever waits for one says why there is none, and when the next attempt to connect begins.
@Suite(.timeLimit(.minutes(5))) struct OutageErrorStories {
    /// A server that refuses connections, and a connection that has heard of it.
    private func outage() async throws -> (stage: Rehearsal, orders: PushConnection) {
        let stage = try Rehearsal.inMemory()
        stage.apple.refuseConnections()
        let owner = Mailbox<LifecycleMessage>()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config, owner: owner)
        #expect(await owner.receive(where: \.isReconnecting) != nil)
        return (stage, orders)
    }

    @Test("parity: P5 – a push that waits for a link ends with the cause")
    func aPushThatTimesOutNamesTheCause() async throws {
        let (stage, orders) = try await outage()
        let push = Task {
            try await orders.push(Samples.flight, to: Samples.token(), options: PushOptions(timeout: .milliseconds(1)))
        }
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .milliseconds(1)))
        stage.time?.advance(by: .milliseconds(1))
        let error = await #expect(throws: PushError.self) { _ = try await push.value }
        #expect(error?.code == .timedOut && error?.certainty == .notSent && error?.layer == .socket)
        #expect(error?.outage == orders.status.outage && error?.outage?.attempt == 1)
        #expect(
            error?.description.contains("still waited for a link when its timeout was over. No link is up: ") == true)
        await stage.end()
    }

    @Test func whoWaitsForALinkHearsTheCauseAndTheNextAttempt() async throws {
        let (stage, orders) = try await outage()
        let error = await #expect(throws: NotUpError.self) { try await orders.waitUntilUp(timeout: .zero) }
        #expect(error?.code == .timedOut)
        let outage = try #require(error?.outage)
        #expect(outage.cause.layer == .socket && outage.attempt == 1 && outage == orders.status.outage)
        let next = try #require(outage.nextAttempt)
        let now = Date(timeIntervalSince1970: Double(try #require(stage.time).wallClockMilliseconds) / 1_000)
        #expect(next > now && next < now.addingTimeInterval(5))
        #expect(error?.description.contains("\(outage.cause.description) Attempt 1 to connect begins at ") == true)
        await stage.end()
    }

    @Test func theStatusAndTheTreeNameTheCauseUntilALinkIsUp() async throws {
        let (stage, orders) = try await outage()
        let cause = try #require(orders.status.outage).cause.description
        #expect("\(orders.status)".contains(cause) && "\(stage.runtime.supervisionTree)".contains(cause))
        let json = String(decoding: try JSONEncoder().encode(orders.status), as: UTF8.self)
        #expect(json.contains(#""outage":{"#) && json.contains(#""attempt":1"#))
        stage.apple.acceptConnections()
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(5)))
        stage.time?.advance(by: .seconds(5))
        try await orders.waitUntilUp()
        #expect(orders.status.outage == nil)
        await stage.end()
    }

    @Test func aFullQueueAndAClosedConnectionNameTheCauseToo() async throws {
        let (stage, _) = try await outage()
        let small = try stage.runtime.connect(config: stage.config.with { $0.limits.maxWaiting = 1 })
        await until { small.status.outage != nil }
        let book = OutcomeBook()
        small.push(Samples.flight, to: Samples.token(), completion: book.completion(1))
        let full = #expect(throws: PushError.self) {
            try small.send(Samples.flight, to: Samples.token(), options: PushOptions(whenFull: .reject))
        }
        #expect(full?.code == .overloaded && full?.outage?.cause.layer == .socket)
        await small.close(within: .zero)
        await book.wait(for: 1)
        #expect(book.summary == ["closed not_sent": 1])
        await stage.end()
    }

    @Test func aRefusalNamesThePresentOutageWhileTheLoadStays() async throws {
        let (stage, _) = try await outage()
        let small = try stage.runtime.connect(config: stage.config.with { $0.limits.maxWaiting = 1 })
        await until { small.status.outage != nil }
        try small.send(Samples.flight, to: Samples.token())
        func refusal() throws -> PushError {
            try #require(
                throws: PushError.self, "the queue is full",
                performing: { try small.send(Samples.flight, to: Samples.token()) })
        }
        let first = try refusal()
        #expect(first.outage?.attempt == 1 && first.outage == small.status.outage)
        stage.time?.advance(by: .seconds(5))
        await until { small.status.outage?.attempt != 1 && small.status.outage?.nextAttempt != nil }
        let second = try refusal()
        #expect(second.outage == small.status.outage && second.load == first.load)
        #expect(second.pushID != first.pushID && first.outage?.attempt == 1)
        await stage.end()
    }

    @Test func aPoolsStatusNamesTheCauseOfAConnectionThatIsDown() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.refuseConnections()
        let bulk = try stage.runtime.connect(name: "bulk", size: 2, config: stage.config)
        await until { bulk.status.outage != nil }
        #expect(bulk.status.outage?.cause.layer == .socket)
        await stage.end()
    }
}
