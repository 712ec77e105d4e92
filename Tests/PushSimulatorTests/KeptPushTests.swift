import PushHTTP2
import PushSimulator
import Testing

/// What the simulator keeps of the pushes it processed.
@Suite(.timeLimit(.minutes(5))) struct KeptPushTests {
    private struct Order: Decodable, Equatable {
        let order: Int
    }

    private static let payload = #"{"aps":{"alert":{"title":"Flight A998","body":"Boarding"}},"order":4711}"#

    private static func body(_ text: String = Self.payload) -> [UInt8] { Array(text.utf8) }

    @Test("parity: F8 – a push is kept with its payload and headers, by default", arguments: Rehearsal.Stage.allCases)
    func aPushIsKeptWhole(_ stage: Rehearsal.Stage) async throws {
        let rehearsal = try Rehearsal(stage) { $0.ledger = SimulatedAPNs.Configuration().ledger }
        let provider = try await rehearsal.provider()
        let id = "123e4567-e89b-12d3-a456-426614174000"
        provider.request(
            rehearsal.headers([
                ("apns-id", id), ("apns-push-type", "alert"), ("apns-priority", "5"), ("apns-expiration", "1800000000"),
                ("apns-collapse-id", "gate"),
            ]), Self.body())
        try #require(await provider.waitForResponses(1))
        let push = try #require(rehearsal.apns.pushes.first)
        #expect(rehearsal.apns.pushes == rehearsal.apns.ledger.records)
        #expect(push.headerLines.isEmpty)
        #expect(push.deviceToken == Rehearsal.device)
        #expect(push.apnsID == id)
        #expect(push.pushType == "alert")
        #expect(push.priority == "5")
        #expect(push.expiration == "1800000000")
        #expect(push.topic == "com.example.app")
        #expect(push.collapseID == "gate")
        #expect(push.payload == Self.body())
        #expect(push.payloadText == Self.payload)
        #expect(push.bodyCount == Self.payload.utf8.count)
        #expect(try push.decoded(as: Order.self) == Order(order: 4711))
    }

    @Test func headersAreKeptWhereTheLedgerIsToldSoAndTheProviderTokenIsNot() async throws {
        let rehearsal = try Rehearsal { $0.ledger.keepsHeaders = true }
        let provider = try await rehearsal.provider()
        provider.request(rehearsal.headers([("apns-priority", "5"), ("x-own", "a: b")]), Self.body())
        try #require(await provider.waitForResponses(1))
        let push = try #require(rehearsal.apns.pushes.first)
        let lines = String(decoding: push.headerLines, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains(":method: POST") && lines.contains(":path: /3/device/\(Rehearsal.device)"))
        #expect(lines.contains("apns-priority: 5") && lines.contains("x-own: a: b"))
        #expect(lines.filter { $0.hasPrefix("authorization:") } == ["authorization: …"])
        #expect(push.wallClock > 0)
    }

    @Test func headersThatWereNotGivenAreNil() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.request(rehearsal.headers(), Self.body())
        try #require(await provider.waitForResponses(1))
        let push = try #require(rehearsal.apns.pushes.first)
        #expect(
            [push.apnsID, push.pushType, push.priority, push.expiration, push.collapseID] == [nil, nil, nil, nil, nil])
    }

    @Test func refusedPushesAreKeptToo() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.request(rehearsal.headers(to: "deadbeef"), Self.body())
        provider.request(rehearsal.headers([("apns-priority", "11")]), Self.body())
        provider.request(rehearsal.headers(), Self.body())
        try #require(await provider.waitForResponses(3))
        #expect(rehearsal.apns.ledger.records.map(\.refusal) == [.unregistered, .badPriority, nil])
        #expect(rehearsal.apns.ledger.records.allSatisfy { $0.payload == Self.body() })
        #expect(rehearsal.apns.ledger.records[1].priority == "11")
        #expect(rehearsal.apns.pushes.map(\.deviceToken) == [Rehearsal.device])
    }

    @Test func ofABodyThatIsTooLongTheBeginningIsKept() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers(), body: 6000)
        try #require(await provider.waitForResponses(1))
        let push = try #require(rehearsal.apns.ledger.records.first)
        #expect((push.refusal, push.payload.count, push.bodyCount) == (.payloadTooLarge, 5120, 6000))
        #expect(throws: SimulatorError.self) { try push.decoded(as: Order.self) }
    }

    @Test func theBoundOnBytesHoldsAndWhatItLeavesOutIsCounted() async throws {
        let rehearsal = try Rehearsal {
            $0.ledger = Ledger.Detail(distinctKeys: 0, records: 10, bytes: 5_000, keepsPayloads: true)
        }
        let provider = try await rehearsal.provider()
        for size in [3_000, 3_000, 1_000, 900] { provider.push(rehearsal.headers(), body: size) }
        try #require(await provider.waitForResponses(4))
        let ledger = rehearsal.apns.ledger
        #expect(ledger.records.map(\.payload.count) == [3_000, 1_000])
        #expect((ledger.snapshot.pushes, ledger.snapshot.unrecorded) == (4, 2))
        ledger.reset()
        #expect(ledger.snapshot.openConnections == 1, "the provider is still there")
        provider.push(rehearsal.headers(), body: 100)
        try #require(await provider.waitForResponses(5))
        #expect(ledger.records.map(\.payload.count) == [100])
        #expect(ledger.snapshot.unrecorded == 0)
    }

    @Test func withCountsAloneNothingIsKept() async throws {
        let rehearsal = try Rehearsal { $0.ledger = .counts }
        let provider = try await rehearsal.provider()
        provider.request(rehearsal.headers(), Self.body())
        try #require(await provider.waitForResponses(1))
        let ledger = rehearsal.apns.ledger
        #expect((ledger.snapshot.accepted, ledger.snapshot.unrecorded, ledger.records.count) == (1, 0, 0))
        let error = await #expect(throws: SimulatorError.self) { try await rehearsal.apns.waitForPushes(1) }
        #expect(error?.code == .notKept)
        for await push in rehearsal.apns.arrivingPushes { Issue.record("came: \(push)") }
    }

    @Test func recordsWithoutPayloadsSaySo() async throws {
        let rehearsal = try Rehearsal { $0.ledger = Ledger.Detail(distinctKeys: 0, records: 10) }
        let provider = try await rehearsal.provider()
        provider.request(rehearsal.headers(), Self.body())
        try #require(await provider.waitForResponses(1))
        let push = try #require(rehearsal.apns.pushes.first)
        #expect((push.payload.count, push.bodyCount) == (0, Self.payload.utf8.count))
        let error = #expect(throws: SimulatorError.self) { try push.decoded(as: Order.self) }
        #expect(error?.code == .notKept)
    }

    @Test("parity: F11 – a broadcast is kept with its payload")
    func aBroadcastIsKeptWhole() async throws {
        let rehearsal = try Rehearsal()
        let management = try await rehearsal.provider(management: true)
        management.request(
            rehearsal.headers("POST", "/1/apps/com.example.app/channels"),
            Self.body(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#))
        try #require(await management.waitForResponses(1))
        let channel = try #require(management.responses.first?.headers.first("apns-channel-id"))
        let provider = try await rehearsal.provider()
        provider.request(rehearsal.broadcast(to: channel), Self.body())
        provider.request(rehearsal.broadcast(to: "AAAA"), Self.body())
        try #require(await provider.waitForResponses(2))
        #expect(rehearsal.apns.broadcasts.map(\.channelID) == [channel])
        let broadcast = try #require(rehearsal.apns.broadcasts.first)
        #expect(broadcast.pushType == "liveactivity")
        #expect(try broadcast.decoded(as: Order.self) == Order(order: 4711))
        #expect(rehearsal.apns.pushes.isEmpty)
    }

    // MARK: Pushes as they come

    @Test func aLoopGetsWhatCameBeforeItAndWaitsForTheNext() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers([("apns-collapse-id", "1")]))
        try #require(await provider.waitForResponses(1))
        var iterator = rehearsal.apns.arrivingPushes.makeAsyncIterator()
        #expect(await iterator.next()?.collapseID == "1")
        let task = Task {
            var iterator = iterator
            return await iterator.next()
        }
        provider.push(rehearsal.headers(to: "deadbeef"))
        provider.push(rehearsal.headers([("apns-collapse-id", "2")]))
        #expect(await task.value?.collapseID == "2")
        let all = try await rehearsal.apns.waitForPushes(2)
        #expect(all.map(\.collapseID) == ["1", "2"])
    }

    @Test func aLoopEndsWhenTheSimulatorStopsAndGoesOnAfterARestart() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        let task = Task { [pushes = rehearsal.apns.arrivingPushes] in
            await pushes.reduce(into: []) { $0.append($1.bodyCount) }
        }
        provider.push(rehearsal.headers(), body: 30)
        try #require(await provider.waitForResponses(1))
        rehearsal.apns.stop()
        #expect(await task.value == [30])
        try rehearsal.apns.start()
        let second = try await rehearsal.provider()
        second.push(rehearsal.headers(), body: 40)
        let counts = await rehearsal.apns.arrivingPushes.prefix(2).reduce(into: []) { $0.append($1.bodyCount) }
        #expect(counts == [30, 40])
    }

    @Test func aLoopEndsWithItsTask() async throws {
        let rehearsal = try Rehearsal()
        let task = Task { [pushes = rehearsal.apns.arrivingPushes] in
            for await push in pushes { Issue.record("came: \(push)") }
        }
        task.cancel()
        await task.value
    }

    @Test func aLoopGoesOnAfterAReset() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        var iterator = rehearsal.apns.arrivingPushes.makeAsyncIterator()
        for size in [30, 40] { provider.push(rehearsal.headers(), body: size) }
        try #require(await provider.waitForResponses(2))
        #expect(await iterator.next()?.bodyCount == 30)
        rehearsal.apns.ledger.reset()
        provider.push(rehearsal.headers(), body: 50)
        #expect(await iterator.next()?.bodyCount == 50)
    }

    @Test func waitingForPushesThatDoNotComeSaysWhatCame() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        provider.push(rehearsal.headers(to: "deadbeef"))
        try #require(await provider.waitForResponses(2))
        let error = await #expect(throws: SimulatorError.self) {
            try await rehearsal.apns.waitForPushes(2, within: .zero)
        }
        #expect(
            error?.description
                == "2 accepted pushes were waited for, and 1 came. Refused were 1, not kept 0.")
    }
}
