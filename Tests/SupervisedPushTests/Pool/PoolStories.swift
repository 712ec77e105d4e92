import Dispatch
import PushSimulator
import PushTransport
import SupervisedPush
import TestSupport
import Testing

/// Several connections under one name.
@Suite(.timeLimit(.minutes(2))) struct PoolStories {
    @Test("parity: P2, R7 – a pool multiplexes, from any thread, and each push is answered once")
    func pushesFromManyThreads() async throws {
        let stage = try await PoolStage(4...4)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in stage.push(thread * 500..<(thread + 1) * 500) }
        await stage.book.wait(for: 4_000)
        #expect(stage.book.summary == ["accepted": 4_000] && stage.book.endedOnceEach)
        #expect(stage.apple.ledger.snapshot.pushes == 4_000)
        #expect(stage.apple.ledger.snapshot.connections == 4)
        await stage.end()
    }

    @Test func connectionsWithRoomTakeTurns() async throws {
        let stage = try await PoolStage(4...4)
        stage.apple.holdAnswers()
        // One after the other, so that the numbers that are compared are no guess.
        for number in 0..<40 {
            stage.push(number..<number + 1)
            await stage.isLoaded(inFlight: number + 1, waiting: 0)
            // One that has not looked since its last push is passed over, so each tells its status first.
            await stage.reaches("all are at rest") { stage.members.map(\.inFlight).reduce(0, +) == number + 1 }
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 40 })
        #expect(stage.spread.count == 4 && stage.spread.allSatisfy { $0 >= 4 }, "\(stage.spread)")
        stage.apple.releaseAnswers()
        await stage.book.wait(for: 40)
        await stage.end()
    }

    @Test("parity: E24 – fifty connections without names of their own, under one name")
    func fiftyUnnamedConnections() async throws {
        let stage = try await PoolStage(50...50)
        #expect(Set(stage.members.compactMap(\.pid)).count == 50)
        #expect(stage.runtime.names == ["bulk"])
        stage.apple.holdAnswers()
        // One by one, they take turns. In a burst, those that have no thread yet may be late.
        for number in 0..<10 {
            stage.push(number..<number + 1)
            await stage.isLoaded(inFlight: number + 1, waiting: 0)
        }
        stage.push(10..<500)
        #expect(await stage.apple.ledger.wait { $0.pushes == 500 })
        #expect(stage.spread.count > 1 && stage.spread.reduce(0, +) == 500, "\(stage.spread)")
        stage.apple.releaseAnswers()
        await stage.book.wait(for: 500)
        #expect(stage.book.summary == ["accepted": 500] && stage.book.endedOnceEach)
        await stage.end()
    }

    @Test func everyFormOfPushTakesAPoolByNameAndByPid() async throws {
        let stage = try await PoolStage(2...2)
        let pid = try #require(stage.runtime.pid(of: "bulk"))
        #expect(try await stage.runtime.push(name: "bulk", Samples.flight, to: Samples.token(1)).isAccepted)
        #expect(try await stage.runtime.push(pid, Samples.flight, to: Samples.token(2)).isAccepted)
        try stage.runtime.send(name: "bulk", Samples.flight, to: Samples.token(3))
        try stage.runtime.send(pid, Samples.flight, to: Samples.token(4))
        try await stage.runtime.connection(named: "bulk").whenRoom()
        #expect(try await stage.runtime.connection(named: "bulk").drain(within: .seconds(20)))
        #expect(stage.apple.ledger.snapshot.pushes == 4)
        #expect(try stage.runtime.connection(named: "bulk").providerToken() == nil)
        let status = try stage.runtime.connection(named: "bulk").status
        #expect(status.phase == .up && status.pid == pid && status.streamLimit == 2_000)
        #expect(throws: LookupError.self) { try stage.runtime.connection(named: "bulk").flightRecord() }
        let member = try #require(stage.members.first?.pid)
        #expect(try await stage.runtime.push(member, Samples.flight, to: Samples.token(5)).isAccepted)
        #expect(try stage.runtime.connection(member).flightRecord().entries.isEmpty == false)
        await stage.end()
    }

    @Test func drainWaitsForAPushThatAnotherConnectionTakes() async throws {
        let stage = try await PoolStage(2...2, config: { $0.limits.maxInFlight = 1 })
        stage.apple.holdAnswers()
        stage.push(0..<3)
        #expect(await stage.apple.ledger.wait { $0.pushes == 2 })
        await stage.isLoaded(inFlight: 2, waiting: 1)
        // It arms its time limit once it watches the pool.
        let time = try #require(stage.rehearsal.time)
        let armed = time.armedCount
        let drained = Task { try await stage.runtime.connection(named: "bulk").drain(within: .seconds(60)) }
        await time.waitUntilArmed(count: armed + 1)
        let victim = try #require(stage.apple.ledger.records.first?.connection)
        stage.apple.refuseConnections()
        await stage.apple.cutConnections(.reset, on: .only(victim))
        await stage.book.wait(for: 1)
        stage.apple.releaseAnswers()
        #expect(try await drained.value)
        #expect(stage.book.summary == ["connection_lost unknown": 1, "accepted": 2] && stage.book.endedOnceEach)
        await stage.end()
    }

    @Test func whatIsCalledByAConnectionsPidWaitsForThatOne() async throws {
        let stage = try await PoolStage(2...2, config: { $0.limits.maxInFlight = 1 })
        stage.apple.holdAnswers()
        let second = try #require(stage.members.last?.pid)
        for number in 0..<3 {
            stage.runtime.push(
                second, Samples.flight, to: Samples.token(number), completion: stage.book.completion(number))
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 1 })
        #expect(try stage.runtime.connection(second).status.waiting == 2)
        // Once its process is gone, anyone may take them.
        stage.apple.releaseAnswers()
        stage.runtime.kill(second)
        await stage.book.wait(for: 3)
        #expect(stage.book.summary["accepted"] ?? 0 >= 2 && stage.book.endedOnceEach, "\(stage.book.summary)")
        await stage.end()
    }

    @Test("parity: F8 – a link that breaks costs what was written on it; what waited there goes over the others")
    func oneLinkBreaks() async throws {
        let stage = try await PoolStage(3...3, config: { $0.limits.maxInFlight = 10 })
        stage.apple.holdAnswers()
        for number in 0..<60 {
            stage.push(number..<number + 1)
            await stage.isLoaded(inFlight: min(number + 1, 30), waiting: max(0, number - 29))
        }
        let victim = try #require(stage.apple.connections.first)
        #expect(await stage.apple.ledger.wait { $0.pushes == 30 })
        stage.apple.refuseConnections()
        await stage.apple.cutConnections(.reset, on: .only(victim))
        // Its ten in flight may have been processed. What waits goes over the others: the link does not come back.
        await stage.book.wait(for: 10)
        #expect(stage.book.summary == ["connection_lost unknown": 10])
        await stage.isLoaded(inFlight: 20, waiting: 30)
        stage.apple.releaseAnswers()
        await stage.book.wait(for: 60)
        #expect(stage.book.summary == ["connection_lost unknown": 10, "accepted": 50] && stage.book.endedOnceEach)
        #expect(stage.apple.ledger.snapshot.pushes == 60)
        await stage.end()
    }

    @Test func theBoundsOfAPoolAreThoseOfItsConnectionsTogether() async throws {
        let stage = try await PoolStage(
            2...2,
            config: {
                $0.limits.maxInFlight = 1
                $0.limits.maxWaitingBytes = 64 << 10
            })
        stage.apple.holdAnswers()
        stage.apple.refuseConnections()
        await stage.apple.cutConnections(on: .only(try #require(stage.apple.connections.first)))
        await stage.has(up: 1)
        let large = try PushNotification.raw(
            Array(#"{"aps":{"alert":"\#(String(repeating: "x", count: 4_000))"}}"#.utf8))
        // Sixteen would fill one connection's bound: the pool's is that of two.
        for number in 0..<26 {
            stage.runtime.push(
                name: "bulk", large, to: Samples.token(number), completion: stage.book.completion(number))
        }
        stage.apple.releaseAnswers()
        await stage.book.wait(for: 26)
        #expect(stage.book.summary == ["accepted": 26] && stage.book.endedOnceEach)
        await stage.end()
    }

    @Test func whatWaitsIsCancelledByItsHandleWhoeverWouldHaveTakenIt() async throws {
        let stage = try await PoolStage(2...2, config: { $0.limits.maxInFlight = 1 })
        stage.apple.holdAnswers()
        stage.push(0..<1)
        await stage.isLoaded(inFlight: 1, waiting: 0)
        stage.push(1..<2)
        await stage.isLoaded(inFlight: 2, waiting: 0)
        var handles: [PushHandle] = []
        for number in 2..<12 {
            handles.append(
                stage.runtime.push(
                    name: "bulk", Samples.flight, to: Samples.token(number), completion: stage.book.completion(number)))
            await stage.isLoaded(inFlight: 2, waiting: number - 1)
        }
        stage.apple.refuseConnections()
        let victim = try #require(stage.apple.connections.first)
        await stage.apple.cutConnections(.reset, on: .only(victim))
        await stage.book.wait(for: 1)
        await stage.isLoaded(inFlight: 1, waiting: 10)
        for handle in handles { handle.cancel() }
        await stage.book.wait(for: 11)
        #expect(stage.book.summary == ["connection_lost unknown": 1, "cancelled not_sent": 10])
        stage.apple.releaseAnswers()
        await stage.book.wait(for: 12)
        #expect(stage.book.endedOnceEach && handles.allSatisfy { $0.attempts == 0 })
        await stage.end()
    }

    @Test func whatWasUnprocessedGoesOverAnotherLink() async throws {
        let stage = try await PoolStage(2...2)
        let channels = stage.rehearsal.network?.channels ?? []
        for channel in channels { channel.holdWrites() }
        stage.push(0..<100)
        await stage.isLoaded(inFlight: 100, waiting: 0)
        // Its fifty were not processed, and it does not come back.
        stage.apple.refuseConnections()
        let leaving = try #require(stage.apple.connections.first)
        stage.apple.goAway(GoAway(), on: .only(leaving))
        await stage.reaches("all at the other one") { stage.members.map(\.inFlight).sorted() == [0, 100] }
        for channel in channels { channel.holdWrites(isHeld: false) }
        await stage.book.wait(for: 100)
        #expect(stage.book.summary == ["accepted": 100] && stage.book.endedOnceEach)
        #expect(stage.apple.ledger.records.allSatisfy { $0.connection != leaving })
        #expect(stage.apple.ledger.snapshot.pushes == 100)
        await stage.end()
    }

    @Test("parity: P2 – resized up, connections are added; resized down, those that go finish what they have")
    func resizing() async throws {
        let stage = try await PoolStage(2...2)
        try stage.runtime.connection(named: "bulk").resize(to: 4...4)
        await stage.has(up: 4)
        stage.apple.holdAnswers()
        stage.push(0..<40)
        await stage.isLoaded(inFlight: 40, waiting: 0)
        #expect(await stage.apple.ledger.wait { $0.pushes == 40 })
        try stage.runtime.connection(named: "bulk").resize(to: 1...1)
        stage.push(40..<50)
        #expect(await stage.apple.ledger.wait { $0.pushes == 50 })
        stage.apple.releaseAnswers()
        await stage.book.wait(for: 50)
        #expect(stage.book.summary == ["accepted": 50] && stage.book.endedOnceEach)
        #expect(await stage.apple.ledger.wait { $0.openConnections == 1 })
        await stage.reaches("one member") { stage.members.count == 1 }
        await stage.end()
    }

    @Test func whoeverRetiresLosesNothing() async throws {
        let stage = try await PoolStage(1...1, config: { $0.limits.maxInFlight = 5 })
        // Pushes and changes of size at the same time: a push may choose a connection that retires at that moment.
        let pushing = Task.detached {
            for number in 0..<2_000 {
                stage.push(number..<number + 1)
                if number.isMultiple(of: 50) { await Task.yield() }
            }
        }
        for round in 0..<60 {
            try stage.runtime.connection(named: "bulk").resize(to: round % 2 == 0 ? 4...4 : 1...1)
            await giveTurns(20)
        }
        await pushing.value
        await stage.book.wait(for: 2_000)
        #expect(stage.book.summary == ["accepted": 2_000] && stage.book.endedOnceEach, "\(stage.book.summary)")
        #expect(stage.apple.ledger.snapshot.pushes == 2_000)
        await stage.end()
    }

    @Test func itGrowsUnderLoadAndShrinksAfterIt() async throws {
        let stage = try await PoolStage(1...3, config: { $0.limits.maxInFlight = 10 })
        stage.apple.holdAnswers()
        stage.push(0..<40)
        await stage.isLoaded(inFlight: 10, waiting: 30)
        await stage.looks(2)
        await stage.has(up: 2)
        // What waits is spread as soon as there is room elsewhere.
        await stage.looks(1)
        await stage.isLoaded(inFlight: 20, waiting: 20)
        await stage.looks(1)
        await stage.has(up: 3)
        await stage.looks(1)
        await stage.isLoaded(inFlight: 30, waiting: 10)
        stage.apple.releaseAnswers()
        await stage.book.wait(for: 40)
        await stage.reaches("one member") {
            stage.passesALook()
            return stage.members.count == 1
        }
        #expect(stage.book.summary == ["accepted": 40] && stage.apple.ledger.snapshot.connections == 3)
        await stage.end()
    }

    @Test("quarantine: suspect pushes go to the link whose limit fell, the others avoid it")
    func quarantine() async throws {
        let stage = try await PoolStage(3...3)
        let lowered = try #require(stage.apple.connections.first)
        stage.apple.changeSettings(SettingsChange(maxConcurrentStreams: 1), on: .only(lowered))
        await stage.reaches("one is throttled") { stage.members.count(where: \.isThrottled) == 1 }
        stage.push(0..<100)
        await stage.book.wait(for: 100)
        #expect(stage.apple.ledger.records.allSatisfy { $0.connection != lowered })
        stage.push(100..<110, options: PushOptions(mark: .suspect))
        await stage.book.wait(for: 110)
        #expect(stage.apple.ledger.records.count { $0.connection == lowered } == 10)
        #expect(stage.book.summary == ["accepted": 110])
        await stage.end()
    }

    @Test("ordered per device, a pool keeps the order, whichever connections take the pushes")
    func orderedPerDeviceAPoolKeepsTheOrder() async throws {
        let stage = try await PoolStage(4...4)
        let options = PushOptions(ordered: .perDevice)
        let handles = (0..<400).map { number in
            stage.runtime.push(
                name: "bulk", Samples.flight, to: Samples.token(number % 20), options: options,
                completion: stage.book.completion(number))
        }
        await stage.book.wait(for: 400)
        let byDevice = Dictionary(grouping: stage.apple.ledger.records, by: \.deviceToken)
        #expect(byDevice.count == 20 && byDevice.values.allSatisfy { $0.count == 20 })
        for device in 0..<20 {
            let arrived = byDevice[Samples.token(device).hex, default: []].map(\.apnsID)
            #expect(arrived == stride(from: device, to: 400, by: 20).map { handles[$0].apnsID?.description })
        }
        await stage.end()
    }

    @Test func whatIsWrongIsSaidAtTheCall() async throws {
        let stage = try await PoolStage(2...2)
        let config = stage.rehearsal.config
        #expect(throws: ConnectError.self) { try stage.runtime.connect(name: "", size: 2, config: config) }
        #expect(throws: ConnectError.self) { try stage.runtime.connect(name: "none", size: 0, config: config) }
        #expect(throws: ConnectError.self) {
            try stage.runtime.connect(name: "many", size: 1...10_001, config: config)
        }
        let taken = #expect(throws: ConnectError.self) {
            try stage.runtime.connect(name: "bulk", size: 2, config: config)
        }
        #expect(taken?.code == .nameTaken && taken?.holder == stage.runtime.pid(of: "bulk"))
        #expect(throws: ConnectError.self) { try stage.runtime.connect(name: "bulk", config: config) }
        try stage.runtime.connect(name: "single", config: config)
        #expect(throws: ConnectError.self) { try stage.runtime.connection(named: "single").resize(to: 1...2) }
        #expect(throws: ConnectError.self) { try stage.runtime.connection(named: "bulk").resize(to: 0...2) }
        await stage.end()
    }
}
