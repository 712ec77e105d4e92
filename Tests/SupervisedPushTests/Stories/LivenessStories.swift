import ProcessRuntime
import PushSimulator
import PushTransport
import SupervisedPush
import TestSupport
import Testing

/// Peers that fall silent, answer PINGs only, or vanish in the network: found in time, and both sides' ledgers agree.
@Suite(.timeLimit(.minutes(5))) struct LivenessStories {
    /// A stage with a connection that is up and useful, asked by the default times.
    private func useful(limit: Int = 1_000) async throws -> (Rehearsal, Mailbox<LifecycleMessage>, MemoryChannel) {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        let config = stage.config.with {
            $0.limits.maxInFlight = limit
            $0.liveness = PushConnection.Configuration.Liveness()
        }
        try stage.runtime.connect(name: "orders", config: config, owner: mailbox)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        return (stage, mailbox, try #require(stage.network?.channels.first))
    }

    private func push(_ numbers: Range<Int>, _ stage: Rehearsal) -> OutcomeBook {
        let book = OutcomeBook()
        for number in numbers {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        return book
    }

    private func isReconnecting(_ message: LifecycleMessage) -> Bool {
        if case .reconnecting = message { true } else { false }
    }

    /// Waits, by asking the process, until this many pushes are in flight.
    private func untilInFlight(_ count: Int, _ stage: Rehearsal) async throws {
        try await until { try stage.runtime.connection(named: "orders").load.inFlight == count }
    }

    /// Lets the pushes stay unanswered until the PING's deadline is over and the link lost, then the pause.
    private func loseTheLink(_ stage: Rehearsal, _ mailbox: Mailbox<LifecycleMessage>) async {
        for limit in [Duration.seconds(5), .seconds(3)] {
            // Its process arms the timer at the end of a turn, after pushes are counted as in flight.
            await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: limit))
            stage.time?.advance(by: limit)
        }
        let message = await mailbox.receive { if case .reconnecting = $0 { true } else { false } }
        #expect(message != nil)
        stage.time?.advance(by: .seconds(1))
    }

    @Test("parity: F7 – a peer that the network swallowed is found before the timeout; what waited goes out after it")
    func aDeafPeerIsFound() async throws {
        let (stage, mailbox, _) = try await useful(limit: 40)
        stage.apple.deafen()
        let book = push(0..<100, stage)
        try await untilInFlight(40, stage)
        await loseTheLink(stage, mailbox)
        await book.wait(for: 100)
        #expect(book.summary == ["connection_lost unknown": 40, "accepted": 60] && book.endedOnceEach)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        #expect(stage.runtime.now == MonotonicInstant(nanoseconds: 9_000_000_000))
        await stage.end()
    }

    @Test func aConnectionRecoversAtOnceAfterTheMachineWasSuspended() async throws {
        let stage = try Rehearsal.inMemory(skewed: true)
        let (time, clientTime) = (try #require(stage.time), try #require(stage.clientTime))
        let mailbox = Mailbox<LifecycleMessage>()
        // While it is idle, its timer is set to the next PING, in an hour.
        let config = stage.config.with { $0.liveness = PushConnection.Configuration.Liveness() }
        try stage.runtime.connect(name: "orders", config: config, owner: mailbox)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(0))
        clientTime.suspend(for: .seconds(8 * 3_600))
        time.setWallClock(milliseconds: time.wallClockMilliseconds + 8 * 3_600_000)
        await stage.apple.cutConnections()
        #expect(await mailbox.receive(where: isReconnecting) != nil)
        let book = push(1..<11, stage)
        await time.waitUntilArmed(by: time.now.advanced(by: .seconds(1)))
        time.advance(by: .seconds(1))
        await book.wait(for: 10)
        #expect(book.summary == ["accepted": 10])
        await stage.end()
    }

    @Test func aMutePeerHasProcessedWhatIsUnknown() async throws {
        let (stage, mailbox, channel) = try await useful(limit: 40)
        // Requests arrive, and nothing comes back.
        channel.hold()
        let book = push(0..<100, stage)
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        await loseTheLink(stage, mailbox)
        await book.wait(for: 100)
        #expect(book.summary == ["connection_lost unknown": 40, "accepted": 60] && book.endedOnceEach)
        #expect(stage.apple.ledger.snapshot.accepted == 101)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        await stage.end()
    }

    @Test func aKernelThatTakesNothingMoreLosesNothing() async throws {
        let (stage, mailbox, channel) = try await useful()
        channel.accept(exactly: 0)
        let book = push(0..<100, stage)
        try await untilInFlight(100, stage)
        await loseTheLink(stage, mailbox)
        await book.wait(for: 100)
        #expect(book.summary == ["accepted": 100] && book.endedOnceEach)
        #expect(
            stage.apple.ledger.records.map(\.deviceToken).dropFirst() == (0..<100).map { Samples.token($0).hex }[...])
        await stage.end()
    }

    @Test("parity: F7 – pushes after a long silence are held, and cost no unknown where the link is gone")
    func pushesAfterSilenceAreHeldUntilTheLinkHasAnswered() async throws {
        let (stage, mailbox, _) = try await useful()
        // The link answers: nothing but a round trip is lost.
        stage.time?.advance(by: .seconds(240))
        let answered = push(0..<10, stage)
        await answered.wait(for: 10)
        #expect(answered.summary == ["accepted": 10])
        #expect(try stage.runtime.connection(named: "orders").status.rtt == .zero)

        // It does not: the pushes were never written.
        stage.time?.advance(by: .seconds(240))
        stage.apple.deafen()
        let held = push(10..<20, stage)
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(3)))
        stage.time?.advance(by: .seconds(3))
        #expect(await mailbox.receive { if case .reconnecting = $0 { true } else { false } } != nil)
        stage.time?.advance(by: .seconds(1))
        await held.wait(for: 10)
        #expect(held.summary == ["accepted": 10])
        #expect(stage.apple.ledger.snapshot.accepted == 21)
        await stage.end()
    }

    @Test("parity: F7, X5 – a peer that answers PINGs and no push is replaced, and its late answers arrive")
    func aStalledPeerIsReplaced() async throws {
        let (stage, mailbox, channel) = try await useful(limit: 40)
        stage.apple.holdAnswers()
        let book = push(0..<100, stage)
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        let before = channel.bytesArrived
        stage.time?.advance(by: .seconds(5))
        await until { channel.bytesArrived != before }
        stage.time?.advance(by: .seconds(3))
        guard
            case .draining(_, _, 1, "stalled")? = await mailbox.receive(where: { message in
                if case .draining = message { true } else { false }
            })
        else { Issue.record("not replaced"); return }
        guard
            case .connectionUp(_, _, 2)? = await mailbox.receive(where: { message in
                if case .connectionUp(_, _, 2) = message { true } else { false }
            })
        else { Issue.record("no successor"); return }
        // The successor stalls as well; but first those on the old link time out.
        #expect(await stage.apple.ledger.wait { $0.pushes == 81 })
        stage.time?.advance(by: .seconds(2))
        await book.wait(for: 80)
        stage.apple.releaseAnswers()
        for _ in 0..<40 {
            guard
                case .lateResponse(let late)? = await mailbox.receive(where: { message in
                    if case .lateResponse(let late) = message { late.streamID.generation == 1 } else { false }
                }), case .answered(let response) = late.outcome
            else { Issue.record("no late answer"); return }
            #expect(response.isAccepted)
        }
        #expect(book.endedOnceEach)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        await stage.end()
    }
}
