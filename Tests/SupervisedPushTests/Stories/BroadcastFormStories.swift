import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Broadcasts in every form that pushes have: each ends once, and what nobody waits for is handed back.
@Suite("parity: F11, E10 – broadcast in every form of push", .timeLimit(.minutes(5))) struct BroadcastFormStories {
    private static let update = PushNotification(
        payload: Payload(unchecked: Array(#"{"aps":{"event":"update","content-state":{}}}"#.utf8)))

    private func channel(_ stage: Rehearsal) throws -> ChannelID {
        try ChannelID(
            try #require(stage.apple.channels.create(for: stage.apple.credentials.topic, storing: .noStorage)).id)
    }

    @Test(arguments: [true, false])
    func everyFormReachesTheChannelByNameAndByPid(isPool: Bool) async throws {
        let stage = try Rehearsal.inMemory()
        let runtime = stage.runtime
        let connection =
            try isPool
            ? runtime.connect(name: "live", size: 2, config: stage.patientConfig)
            : runtime.connect(name: "live", config: stage.patientConfig)
        let pid = try #require(connection.pid)
        let id = try channel(stage)
        #expect(
            try await runtime.connection(named: "live").broadcasts.push(Self.update, to: id, context: 1).context as? Int
                == 1)
        #expect(try await runtime.connection(pid).broadcasts.push(Self.update, to: id).isAccepted)
        let book = OutcomeBook()
        try runtime.connection(named: "live").broadcasts.push(Self.update, to: id, completion: book.completion(1))
        try runtime.connection(pid).broadcasts.push(Self.update, to: id, completion: book.completion(2))
        await book.wait(for: 2)
        #expect(book.summary == ["accepted": 2] && book.endedOnceEach)
        try runtime.connection(named: "live").broadcasts.send(Self.update, to: id)
        try runtime.connection(pid).broadcasts.send(Self.update, to: id)
        #expect(try await runtime.connection(pid).drain(within: .seconds(5)))
        let blocking = try await onAThread {
            let byName = try runtime.connection(named: "live").broadcasts.pushBlocking(Self.update, to: id, context: 3)
            return (byName, try runtime.connection(pid).broadcasts.pushBlocking(Self.update, to: id))
        }
        #expect(blocking.0.isAccepted && blocking.0.context as? Int == 3 && blocking.1.isAccepted)
        #expect(stage.apple.ledger.snapshot.broadcasts.accepted == 8 && stage.apple.ledger.snapshot.pushes == 0)
        await stage.end()
    }

    @Test(arguments: [true, false], [true, false])
    func aBulkGivesEachBroadcastItsOutcome(isAsync: Bool, byName: Bool) async throws {
        let stage = try Rehearsal.inMemory()
        let runtime = stage.runtime
        let pid = try #require(try runtime.connect(name: "live", config: stage.patientConfig).pid)
        var channels = try (0..<20).map { _ in try channel(stage) }
        channels[7] = try ChannelID("AAAA")
        let broadcasts = (0..<500).map { Broadcast(Self.update, to: channels[$0 % 20], context: $0) }
        let stream = AsyncStream<Broadcast> { continuation in
            for broadcast in broadcasts { continuation.yield(broadcast) }
            continuation.finish()
        }
        let connection = try byName ? runtime.connection(named: "live") : runtime.connection(pid)
        let bulk =
            isAsync ? connection.broadcasts.bulk(stream) : connection.broadcasts.bulk(broadcasts)
        var seen: Set<Int> = []
        var gone = 0
        for try await outcome in bulk {
            #expect(seen.insert(outcome.index).inserted && outcome.broadcast.context as? Int == outcome.index)
            #expect(outcome.broadcast.channel == channels[outcome.index % 20] && outcome.attempts == 1)
            #expect(outcome.broadcast.bundleID == stage.apple.credentials.topic)
            let answer = try outcome.result.get()
            #expect(answer.context as? Int == outcome.index && answer.isAccepted == !outcome.isChannelGone)
            if outcome.isChannelGone { gone += 1 }
        }
        #expect(seen.count == 500 && gone == 25)
        #expect(stage.apple.ledger.snapshot.broadcasts.accepted == 475)
        await stage.end()
    }

    @Test func aBulkToAPoolKeepsTheBoundsOfABulk() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "live", size: 2, config: stage.patientConfig.with { $0.limits.maxWaiting = 1 })
        let id = try channel(stage)
        let broadcasts = (0..<2_000).map { Broadcast(Self.update, to: id, context: $0) }
        var accepted = 0
        for try await outcome in try stage.runtime.connection(named: "live").broadcasts.bulk(broadcasts) {
            if try outcome.result.get().isAccepted { accepted += 1 }
        }
        #expect(accepted == 2_000 && stage.apple.ledger.snapshot.broadcasts.accepted == 2_000)
        await stage.end()
    }

    @Test("parity: G3 – a broadcast that nobody waits for is handed back with its certainty")
    func whatNobodyWaitsForIsHandedBack() async throws {
        let stage = try Rehearsal.inMemory()
        let config = stage.certificateConfig.with {
            $0.limits.maxInFlight = 1
            $0.timeout = .seconds(60)
        }
        try stage.runtime.connect(name: "live", config: config)
        let id = try channel(stage)
        #expect(try await stage.runtime.connection(named: "live").broadcasts.push(Self.update, to: id).isAccepted)
        stage.apple.holdAnswers()
        try stage.runtime.connection(named: "live").broadcasts.send(Self.update, to: id, context: "written")
        #expect(await stage.apple.ledger.wait { $0.broadcasts.requests == 2 })
        try stage.runtime.connection(named: "live").broadcasts.send(Self.update, to: id, context: "waiting")
        try stage.runtime.send(name: "live", Samples.flight, to: Samples.token(1))
        let handBack = try await stage.runtime.close(name: "live", within: .zero)
        #expect(handBack.broadcasts.map { $0.broadcast.context as? String } == ["written", "waiting"])
        #expect(handBack.broadcasts.map(\.certainty) == [.unknown, .notSent])
        #expect(handBack.broadcasts.allSatisfy { $0.broadcast.channel == id })
        #expect(handBack.notSent.map(\.deviceToken) == [Samples.token(1)] && handBack.count == 3)
        #expect(!handBack.isEmpty && handBack.answeredElsewhere == 0)
        await stage.end()
    }

    @Test func whatIsRefusedAtTheCallIsThrownOnce() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "live", config: stage.patientConfig)
        let runtime = stage.runtime
        let id = try channel(stage)
        let start = try PushNotification.raw(json: #"{"aps":{"timestamp":1,"event":"start","content-state":{}}}"#)
        let sent = #expect(throws: PushError.self) {
            try runtime.connection(named: "live").broadcasts.send(start, to: id, context: 7)
        }
        #expect(sent?.code == .invalidRequest && sent?.context as? Int == 7)
        await #expect(throws: PushError.self) {
            try await onAThread { try runtime.connection(named: "live").broadcasts.pushBlocking(start, to: id) }
        }
        for try await outcome in try runtime.connection(named: "live").broadcasts.bulk([Broadcast(start, to: id)]) {
            guard case .failure(let error) = outcome.result else { Issue.record("it was sent"); continue }
            #expect(error.code == .invalidRequest && outcome.attempts == 0)
        }
        #expect(stage.apple.ledger.snapshot.broadcasts.requests == 0)
        await stage.end()
    }
}
