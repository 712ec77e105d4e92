import HandWrittenFrames
import PushSimulator
import PushTransport
import SupervisedPush
import TestSupport
import Testing

@Suite("parity: E20, X9, G3 – close in any state drains, hands back, and frees the name", .timeLimit(.minutes(5)))
struct ClosingStories {
    @Test func closingWaitsForWhatIsInFlight() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token())
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        for number in 0..<10 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 11 })
        async let handBack = stage.runtime.close(name: "orders", within: .seconds(5))
        await until { (try? stage.runtime.send(name: "orders", Samples.flight, to: Samples.token())) == nil }
        stage.apple.releaseAnswers()
        #expect(try await handBack.isEmpty)
        #expect(book.summary == ["accepted": 10])
        #expect(stage.runtime.pid(of: "orders") == nil)
        await stage.end()
    }

    @Test func anIdleLinkEndsWithGoAwayAndCloseNotify() async throws {
        let (ended, signal) = AsyncStream.makeStream(of: String.self)
        let stage = try HandWrittenStage { _ in
            { conversation, happening in
                HandWrittenPeer.obedient(conversation, happening)
                if case .closed(let error) = happening { signal.yield(error?.sentence ?? "in order") }
            }
        }
        try stage.connect()
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token())
        try await stage.runtime.close(name: "orders", within: .seconds(5))
        for await end in ended {
            #expect(end == "in order")
            break
        }
        #expect(stage.peer.conversations.first?.frames.last?.isKind(.goAway) == true)
        await stage.end()
    }

    @Test func anOrderToEndDoesNotShortenAClose() async throws {
        let stage = try Rehearsal.inMemory()
        let pid = try #require(try stage.runtime.connect(name: "orders", config: stage.config).pid)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token())
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(1), completion: book.completion(1))
        #expect(await stage.apple.ledger.wait { $0.pushes == 2 })
        async let handBack = stage.runtime.close(name: "orders", within: .seconds(5))
        await until { (try? stage.runtime.send(name: "orders", Samples.flight, to: Samples.token())) == nil }
        stage.runtime.exit(pid, .shutdown)
        stage.apple.releaseAnswers()
        #expect(try await handBack.isEmpty)
        #expect(book.summary == ["accepted": 1])
        await stage.end()
    }

    @Test func closedWhileItsProcessFailsAConnectionAnswersEveryPush() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        for round in 0..<200 {
            let name = "orders \(round)"
            let pid = try #require(try stage.runtime.connect(name: name, config: stage.config).pid)
            let book = OutcomeBook()
            for number in 0..<50 {
                stage.runtime.push(
                    name: name, Samples.flight, to: Samples.token(number), completion: book.completion(number))
            }
            let failing = Task.detached { stage.runtime.kill(pid) }
            try await stage.runtime.close(name: name, within: .zero)
            await failing.value
            await book.wait(for: 50)
            #expect(book.endedOnceEach && stage.runtime.pid(of: name) == nil)
        }
        await stage.end()
    }

    @Test func atItsDeadlineClosingHandsBackInCallOrder() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config.with { $0.limits.maxInFlight = 3 })
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token())
        stage.apple.holdAnswers()
        for number in 0..<6 {
            try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token(number), context: number)
        }
        let book = OutcomeBook()
        stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(6), completion: book.completion(6))
        #expect(await stage.apple.ledger.wait { $0.pushes == 4 })
        let handBack = try await stage.runtime.close(name: "orders", within: .zero)
        #expect(handBack.unknown.map { $0.context as? Int } == [0, 1, 2])
        #expect(handBack.notSent.map { $0.context as? Int } == [3, 4, 5])
        #expect(handBack.unprocessed.isEmpty && handBack.answeredElsewhere == 1)
        #expect(book.summary == ["closed not_sent": 1])
        await stage.end()
    }

    @Test func closingWhileDialingEndsAtItsDeadline() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        try stage.runtime.connect(name: "orders", config: stage.config)
        try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token())
        let handBack = try await stage.runtime.close(name: "orders", within: .zero)
        #expect(handBack.notSent.count == 1)
        await #expect(throws: LookupError.self) { try await stage.runtime.close(name: "orders") }
        await stage.end()
    }

    @Test("parity: G10 – what nobody waits for is handed back to the owner with its context")
    func fireAndForgetComesBackToTheOwner() async throws {
        let stage = try Rehearsal.inMemory()
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.config, owner: owner)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token())
        stage.apple.holdAnswers()
        for number in 0..<5 {
            try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token(number), context: number)
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 6 })
        await stage.apple.cutConnections()
        let message = await owner.receive { if case .handedBack = $0 { true } else { false } }
        guard case .handedBack(_, "orders", let handBack)? = message else { Issue.record("\(message)"); return }
        #expect(handBack.unknown.map { $0.context as? Int } == [0, 1, 2, 3, 4])
        await stage.end()
    }

    @Test func closingTwiceGivesTheHandBackToOneCaller() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        let connection = try stage.runtime.connect(config: stage.config)
        try connection.send(Samples.flight, to: Samples.token())
        async let first = connection.close(within: .zero)
        async let second = connection.close(within: .zero)
        let counts = await [first.notSent.count, second.notSent.count]
        #expect(counts.sorted() == [0, 1])
        await stage.end()
    }

    @Test("parity: R2 – drain waits for every outcome, and leaves the connection open")
    func drainLeavesTheConnectionOpen() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        let book = OutcomeBook()
        for number in 0..<500 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        #expect(try await stage.runtime.connection(named: "orders").drain(within: .seconds(5)))
        #expect(book.count == 500)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        await stage.end()
    }

    @Test func shutdownEndsEveryConnectionAndRefusesNewOnes() async throws {
        let stage = try Rehearsal.inMemory()
        for number in 0..<10 { try stage.runtime.connect(name: "tenant \(number)", config: stage.config) }
        _ = try stage.runtime.connect(config: stage.config)
        await stage.runtime.shutdown(within: .seconds(1))
        #expect(stage.runtime.names.isEmpty)
        let error = #expect(throws: ConnectError.self) {
            try stage.runtime.connect(name: "late", config: stage.config)
        }
        #expect(error?.code == .shutDown)
        stage.apple.stop()
    }

    @Test func releasingTheRuntimeEndsItsConnections() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        do {
            let runtime = stage.anotherRuntime()
            try runtime.connect(name: "orders", config: stage.config, owner: mailbox)
        }
        let down = await mailbox.receive { if case .down = $0 { true } else { false } }
        #expect(down != nil)
        await stage.end()
    }

    @Test("parity: R1 – an async caller that is cancelled gets its certainty")
    func aCancelledTaskGetsItsCertainty() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token())
        stage.apple.holdAnswers()
        let task = Task { try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(1)) }
        #expect(await stage.apple.ledger.wait { $0.pushes == 2 })
        task.cancel()
        let error = await #expect(throws: PushError.self) { try await task.value }
        #expect(error?.code == .cancelled && error?.certainty == .unknown)
        await stage.end()
    }

    @Test("parity: X8 – the handle has the id at once and the stream once there is one")
    func aHandleKnowsItsStream() async throws {
        let stage = try Rehearsal.inMemory()
        let pid = try #require(try stage.runtime.connect(config: stage.config).pid)
        let book = OutcomeBook()
        let handle = stage.runtime.push(pid, Samples.flight, to: Samples.token(), completion: book.completion(0))
        #expect(handle.apnsID != nil)
        await book.wait(for: 1)
        let streamID = try #require(handle.streamID)
        #expect(streamID.process == pid && streamID.generation == 1 && streamID.stream == 1)
        #expect(handle.attempts == 1)
        handle.cancel()
        #expect(book.count == 1)
        await stage.end()
    }
}
