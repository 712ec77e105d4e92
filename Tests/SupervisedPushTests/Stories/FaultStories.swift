import ProcessRuntime
import PushSimulator
import PushTransport
import SupervisedPush
import TestSupport
import Testing

/// What becomes of pushes when the link breaks, says goodbye or falls silent: both sides' ledgers are compared.
@Suite(.timeLimit(.minutes(5))) struct FaultStories {
    /// A stage with an open connection, `count` pushes called on it, of which `processed` have reached the simulator,
    /// whose answers are held.
    private func flying(
        _ count: Int, limit: Int = 1_000, processed: Int? = nil
    ) async throws -> (Rehearsal, OutcomeBook, Mailbox<LifecycleMessage>) {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        let config = stage.config.with { $0.limits.maxInFlight = limit }
        try stage.runtime.connect(name: "orders", config: config, owner: mailbox)
        // The first push raises the limit from 1, and makes the link a useful one.
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        for number in 0..<count {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        let expected = 1 + (processed ?? min(count, limit))
        #expect(await stage.apple.ledger.wait { $0.pushes == expected })
        return (stage, book, mailbox)
    }

    private func next(
        _ mailbox: Mailbox<LifecycleMessage>, where condition: @escaping @Sendable (LifecycleMessage) -> Bool
    ) async -> LifecycleMessage? {
        await mailbox.receive(where: condition)
    }

    @Test("parity: E12, E14, X6, F1 – a cut link: the written are unknown, those that waited go out after it")
    func aCutLinkLosesNothingAndSendsNothingTwice() async throws {
        let (stage, book, mailbox) = try await flying(100, limit: 40)
        await stage.apple.cutConnections()
        await book.wait(for: 40)
        #expect(book.summary == ["connection_lost unknown": 40])
        let message = await next(mailbox) { if case .reconnecting = $0 { true } else { false } }
        guard case .reconnecting(_, "orders", 1, let delay, _)? = message else { Issue.record("\(message)"); return }
        #expect(delay <= .seconds(1) && delay >= .milliseconds(800))

        stage.apple.releaseAnswers()
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
        stage.time?.advance(by: .seconds(1))
        await book.wait(for: 100)
        #expect(book.summary == ["connection_lost unknown": 40, "accepted": 60] && book.endedOnceEach)
        #expect(stage.apple.ledger.snapshot.accepted == 101)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        let up = await next(mailbox) { if case .connectionUp(_, _, 2) = $0 { true } else { false } }
        #expect(up != nil)
        await stage.end()
    }

    @Test("parity: F3 – one stream number on two links is two ids, and each late response names its own")
    func equalStreamNumbersOfTwoLinksDiffer() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        let pid = try #require(try stage.runtime.connect(name: "orders", config: stage.config, owner: mailbox).pid)
        stage.apple.holdAnswers()
        var ids: [PushStreamID] = []
        for link in 1...2 {
            // The first push of each link: both fly on stream 1.
            let call = Task {
                try await stage.runtime.push(
                    name: "orders", Samples.flight, to: Samples.token(link), context: link,
                    options: PushOptions(timeout: .seconds(1)))
            }
            #expect(await stage.apple.ledger.wait { $0.pushes == link })
            await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
            stage.time?.advance(by: .seconds(1))
            let error = await #expect(throws: PushError.self) { try await call.value }
            #expect(error?.code == .timedOut && error?.certainty == .unknown)
            ids.append(try #require(error?.streamID))
            guard link == 1 else { continue }
            stage.apple.goAway()
            // The link has answered nothing, so its GOAWAY counts as a failed attempt, with a pause.
            _ = await next(mailbox) { if case .reconnecting = $0 { true } else { false } }
            await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
            stage.time?.advance(by: .seconds(1))
            _ = await next(mailbox) { if case .connectionUp(_, _, 2) = $0 { true } else { false } }
        }
        #expect(
            ids.map(\.stream) == [1, 1] && ids.map(\.generation) == [1, 2] && ids.allSatisfy { $0.process == pid })
        #expect(Set(ids).count == 2)
        stage.apple.releaseAnswers()
        var contexts: [PushStreamID: Int] = [:]
        while contexts.count < 2 {
            let message = await mailbox.receive(timeout: .seconds(120)) {
                if case .lateResponse = $0 { true } else { false }
            }
            guard case .lateResponse(let late)? = message, case .answered(let response) = late.outcome else {
                Issue.record("no late answer: \(message)")
                break
            }
            #expect(response.isAccepted)
            contexts[late.streamID] = late.context as? Int
        }
        #expect(contexts == [ids[0]: 1, ids[1]: 2])
        await stage.end()
    }

    @Test("parity: F2 – GOAWAY: the streams above the last one go out again over the successor, in call order")
    func aGoAwayLosesNothingAndSendsNothingTwice() async throws {
        let (stage, book, mailbox) = try await flying(100)
        // Streams 3, 5 … 101 belong to the first fifty of the hundred.
        stage.apple.goAway(GoAway(lastStream: .exactly(101)))
        let draining = await next(mailbox) { if case .draining = $0 { true } else { false } }
        #expect(draining != nil)
        stage.apple.releaseAnswers()
        await book.wait(for: 100)
        #expect(book.summary == ["accepted": 100] && book.endedOnceEach)
        let up = await next(mailbox) { if case .connectionUp(_, _, 2) = $0 { true } else { false } }
        #expect(up != nil)
        // Make before break: nothing said `reconnecting`.
        let others = await drained(mailbox)
        #expect(!others.contains { if case .reconnecting = $0 { true } else { false } })
        let resent = stage.apple.ledger.records.suffix(50).map(\.deviceToken)
        #expect(resent == (50..<100).map { Samples.token($0).hex })
        await stage.end()
    }

    @Test func aGoAwayBehindAnswersOfItsBurstIsNoBrokenLink() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(
            name: "orders", config: stage.config.with { $0.limits.maxInFlight = 50 }, owner: mailbox)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        // The answers before it make room, for which pushes wait; the session takes none of them any more.
        stage.apple.faults.add(FaultRule(.pushNumber(100), .goAway(GoAway()), times: 1))
        let book = OutcomeBook()
        for number in 0..<300 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        await book.wait(for: 300)
        #expect(book.summary == ["accepted": 300] && book.endedOnceEach)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        let messages = await drained(mailbox)
        #expect(messages.contains { if case .connectionUp(_, _, 2) = $0 { true } else { false } })
        #expect(!messages.contains { if case .reconnecting = $0 { true } else { false } })
        await stage.end()
    }

    @Test func aPingOnAnIdleLinkIsAnsweredAtOnce() async throws {
        let (stage, _, _) = try await flying(0)
        let channel = try #require(stage.network?.channels.first)
        let written = channel.bytesTaken
        stage.apple.perform(.flood(Flood(.ping, count: 1)))
        // A frame of 17 bytes, in a record.
        await until { channel.bytesTaken >= written + 17 }
        await stage.end()
    }

    @Test("parity: X4, X5, E17, F3 – silence: timed out with the stream's id, and the late answer names it again")
    func aLateAnswerFindsItsSubscriber() async throws {
        let (stage, book, mailbox) = try await flying(1)
        await stage.time?.waitUntilArmed()
        stage.time?.advance(by: .seconds(10))
        await book.wait(for: 1)
        guard case .failure(let error)? = book.outcomes(0).first else { Issue.record("answered"); return }
        #expect(error.code == .timedOut && error.certainty == .unknown && error.deadline == .timeout)
        let streamID = try #require(error.streamID)
        stage.apple.releaseAnswers()
        let message = await next(mailbox) { if case .lateResponse = $0 { true } else { false } }
        guard case .lateResponse(let late)? = message else { Issue.record("\(message)"); return }
        #expect(late.streamID == streamID && late.pushID == error.pushID && late.deviceToken == Samples.token(0))
        guard case .answered(let response) = late.outcome else { Issue.record("\(late.outcome)"); return }
        #expect(response.isAccepted)
        #expect(book.count == 1)
        await stage.end()
    }

    @Test("parity: E17 – the timeout is the push's, the notification's or the connection's, to the nanosecond")
    func eachTimeoutIsKeptExactly() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        try stage.runtime.connect(name: "orders", config: stage.config.with { $0.timeout = .milliseconds(400) })
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.holdAnswers()
        var patient = Samples.flight
        patient.timeout = .milliseconds(200)
        let short = PushOptions(timeout: .milliseconds(150))
        let book = OutcomeBook()
        let pushes = [(patient, short), (patient, PushOptions()), (Samples.flight, PushOptions())]
        for (number, (notification, options)) in pushes.enumerated() {
            stage.runtime.push(
                name: "orders", notification, to: Samples.token(number), options: options,
                completion: book.completion(number))
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 1 + pushes.count })
        let start = time.now
        for (number, timeout) in [150, 200, 400].enumerated() {
            let end = start.advanced(by: .milliseconds(timeout))
            await time.waitUntilArmed(by: end)
            time.advance(by: time.now.duration(to: end) - .nanoseconds(1))
            // What the process did in that time has been handed over once it has counted it; it may not have counted the pushes yet.
            try await until { try stage.runtime.connection(named: "orders").load.inFlight == pushes.count - number }
            #expect(book.count == number)
            time.advance(by: .nanoseconds(1))
            await book.wait(for: number + 1)
            #expect(book.order == Array(0...number))
            guard case .failure(let error)? = book.outcomes(number).first else { Issue.record("answered"); return }
            #expect(error.code == .timedOut && error.certainty == .unknown && error.deadline == .timeout)
            #expect(error.streamID != nil)
        }
        await stage.end()
    }

    @Test func aSilentPeerNeverHangsACaller() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        try stage.runtime.connect(name: "orders", config: stage.config)
        let book = OutcomeBook()
        for number in 0..<10 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        let deadline = stage.runtime.now.advanced(by: .seconds(10))
        await stage.time?.waitUntilArmed(by: deadline)
        stage.time?.advance(by: .seconds(10))
        await book.wait(for: 10)
        #expect(book.summary == ["timed_out not_sent": 10])
        await stage.end()
    }

    @Test("parity: F1, R13 – judged by the kernel: records taken whole are unknown, the rest goes out again")
    func aStalledSocketIsJudgedByTheBytesTaken() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config.with { $0.limits.maxInFlight = 200 })
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        let channel = try #require(stage.network?.channels.first)
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        func push(_ numbers: Range<Int>) {
            for number in numbers {
                stage.runtime.push(
                    name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
            }
        }
        push(0..<10)
        #expect(await stage.apple.ledger.wait { $0.pushes == 11 })
        // From here on the kernel takes half a record and nothing more.
        channel.accept(exactly: 100)
        push(10..<200)
        try await untilInFlight(200, stage)
        channel.reset()
        try await untilInFlight(0, stage)
        stage.apple.releaseAnswers()
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
        stage.time?.advance(by: .seconds(1))
        await book.wait(for: 200)
        #expect(book.summary == ["connection_lost unknown": 10, "accepted": 190] && book.endedOnceEach)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        await stage.end()
    }

    @Test func whatAKernelWithLittleRoomLeavesBehindFollowsWithoutAnAnswer() async throws {
        // A thousand requests are more than may stand encrypted and unwritten, and the kernel takes 8 KiB at a time.
        let stage = try Rehearsal.inMemory(capacity: 8 << 10)
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        for number in 0..<1_000 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        #expect(await stage.apple.ledger.wait(within: .seconds(120)) { $0.pushes == 1_001 })
        stage.apple.releaseAnswers()
        await book.wait(for: 1_000)
        #expect(book.summary == ["accepted": 1_000] && book.endedOnceEach)
        await stage.end()
    }

    @Test("parity: F5, E22 – a name survives its process: what waits passes on, what was written is unknown")
    func aKilledProcessIsRestartedUnderItsName() async throws {
        let (stage, book, mailbox) = try await flying(100, limit: 40)
        let pid = try #require(stage.runtime.pid(of: "orders"))
        stage.runtime.kill(pid)
        await book.wait(for: 40)
        #expect(book.summary == ["connection_lost unknown": 40])
        let down = await next(mailbox) { if case .down(pid, .killed) = $0 { true } else { false } }
        #expect(down != nil)
        stage.apple.releaseAnswers()
        await book.wait(for: 100)
        #expect(book.summary == ["connection_lost unknown": 40, "accepted": 60] && book.endedOnceEach)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        let successor = try #require(stage.runtime.pid(of: "orders"))
        #expect(successor != pid)
        let error = await #expect(throws: PushError.self) {
            try await stage.runtime.push(pid, Samples.flight, to: Samples.token())
        }
        #expect(error?.code == .noProcess)
        await stage.end()
    }

    @Test func aProcessThatFailsTooOftenIsGivenUpAndItsCallersAreAnswered() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.config, owner: mailbox)
        let book = OutcomeBook()
        stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(), completion: book.completion(0))
        for delay in [Duration.zero, .seconds(1), .seconds(2), nil] {
            let pid = try #require(stage.runtime.pid(of: "orders"))
            stage.runtime.kill(pid)
            let down = await next(mailbox) { if case .down(pid, .killed) = $0 { true } else { false } }
            #expect(down != nil)
            if let delay { await pass(delay, stage, untilAnotherServesThan: pid) }
        }
        let givenUp = await next(mailbox) { if case .givenUp(name: "orders") = $0 { true } else { false } }
        #expect(givenUp != nil)
        await book.wait(for: 1)
        #expect(book.summary == ["process_failed not_sent": 1])
        #expect(stage.runtime.pid(of: "orders") == nil)
        await stage.end()
    }

    private func drained(_ mailbox: Mailbox<LifecycleMessage>) async -> [LifecycleMessage] {
        mailbox.close()
        var messages: [LifecycleMessage] = []
        for await message in mailbox { messages.append(message) }
        return messages
    }

    /// Waits, by asking the process, until this many pushes are in flight.
    private func untilInFlight(_ count: Int, _ stage: Rehearsal) async throws {
        try await until { try stage.runtime.connection(named: "orders").load.inFlight == count }
    }

    private func pass(_ delay: Duration, _ stage: Rehearsal, untilAnotherServesThan pid: ProcessID) async {
        if delay > .zero {
            await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: delay))
            stage.time?.advance(by: delay)
        }
        await until { stage.runtime.pid(of: "orders") != pid }
    }
}
