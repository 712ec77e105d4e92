import ProcessRuntime
import PushSimulator
import TestSupport
import Testing

@testable import SupervisedPush

/// How a pool and its connections fail, and end.
@Suite(.timeLimit(.minutes(2))) struct PoolLifeStories {
    private func downs(_ messages: [LifecycleMessage]) -> [ProcessID] {
        messages.compactMap { if case .down(let pid, _) = $0 { pid } else { nil } }
    }

    /// Three connections, each accepted a push; then APNs refuses the credential of one, and so of all.
    private func suspendedStage() async throws -> PoolStage {
        let stage = try await PoolStage(3...3)
        // The pushes may be answered before the last connection is up.
        await stage.has(up: 3)
        stage.push(0..<3)
        await stage.book.wait(for: 3)
        let first = try #require(stage.apple.connections.last)
        stage.apple.goAway(GoAway(reason: "BadCertificateEnvironment"), on: .only(first))
        await stage.reaches("all suspended") { stage.members.allSatisfy { $0.phase == .suspended } }
        // A status shows the refusal before the connection knows of it. One that knows has left its link.
        #expect(await stage.apple.ledger.wait { $0.openConnections == 0 })
        return stage
    }

    @Test("parity: F5 – a member whose process is killed is restarted, and what waited there is not lost")
    func aMemberIsKilled() async throws {
        let stage = try await PoolStage(2...2, config: { $0.limits.maxInFlight = 5 })
        stage.apple.holdAnswers()
        stage.push(0..<20)
        await stage.isLoaded(inFlight: 10, waiting: 10)
        #expect(await stage.apple.ledger.wait { $0.pushes == 10 })
        let victim = try #require(stage.members.first?.pid)
        stage.runtime.kill(victim)
        await stage.book.wait(for: 5)
        #expect(stage.book.summary == ["connection_lost unknown": 5])
        stage.apple.releaseAnswers()
        await stage.book.wait(for: 20)
        #expect(stage.book.summary == ["connection_lost unknown": 5, "accepted": 15] && stage.book.endedOnceEach)
        await stage.has(up: 2)
        #expect(stage.members.first?.pid != victim)
        await stage.end()
    }

    @Test func theNameOutlivesThePoolsProcess() async throws {
        let stage = try await PoolStage(2...2)
        let first = try #require(stage.runtime.pid(of: "bulk"))
        stage.runtime.kill(first)
        stage.push(0..<100)
        await stage.reaches("another process") { stage.runtime.pid(of: "bulk") != first }
        stage.push(100..<200)
        await stage.book.wait(for: 200)
        #expect(stage.book.summary == ["accepted": 200])
        // It knows the connections that were there, and no others were started.
        try stage.runtime.connection(named: "bulk").resize(to: 3...3)
        await stage.has(up: 3)
        #expect(stage.apple.ledger.snapshot.connections == 3)
        await stage.end()
    }

    @Test(
        "parity: F5 – a pool whose process fails too often is given up: each push ends once, and everybody is told once"
    )
    func aPoolWhoseProcessKeepsFailing() async throws {
        let stage = try await PoolStage(2...2, config: { $0.limits.maxInFlight = 5 })
        stage.apple.holdAnswers()
        stage.push(0..<20)
        await stage.isLoaded(inFlight: 10, waiting: 10)
        #expect(await stage.apple.ledger.wait { $0.pushes == 10 })
        for delay in [Duration.zero, .seconds(1), .seconds(2), nil] {
            let victim = try #require(try stage.runtime.connection(named: "bulk").status.pid)
            stage.runtime.kill(victim)
            guard let delay else { break }
            await stage.reaches("the end of \(victim)") {
                (try? stage.runtime.connection(named: "bulk").status)?.pid != victim
            }
            let due = stage.runtime.now.advanced(by: delay)
            if delay > .zero {
                await stage.rehearsal.time?.waitUntilArmed(by: due)
                stage.rehearsal.time?.advance(by: delay)
            }
            await stage.reaches("its successor") { (try? stage.runtime.connection(named: "bulk").status)?.pid != nil }
            // What it has, it has through all of this.
            #expect(stage.book.count == 0 && stage.members.count == 2)
        }
        await stage.book.wait(for: 20)
        #expect(
            stage.book.summary == ["process_failed not_sent": 10, "closed unknown": 10] && stage.book.endedOnceEach)
        let messages = await stage.messages { if case .givenUp = $0 { true } else { false } }
        #expect(Set(downs(messages)).count == 6 && downs(messages).count == 6, "two connections, four processes")
        #expect(messages.count { if case .givenUp("bulk") = $0 { true } else { false } } == 1)
        #expect(stage.runtime.pid(of: "bulk") == nil && stage.runtime.registry.destinations.isEmpty)
        try stage.runtime.connect(name: "bulk", size: 1, config: stage.rehearsal.config)
        await stage.end()
    }

    @Test func aPoolThatIsClosedWhileItsProcessIsRestartedEndsWithItsConnections() async throws {
        let stage = try await PoolStage(2...2)
        stage.apple.holdAnswers()
        stage.push(0..<10)
        #expect(await stage.apple.ledger.wait { $0.pushes == 10 })
        let first = try #require(try stage.runtime.connection(named: "bulk").status.pid)
        stage.runtime.kill(first)
        await stage.reaches("its successor") {
            (try? stage.runtime.connection(named: "bulk").status)?.pid.map { $0 != first } ?? false
        }
        let second = try #require(try stage.runtime.connection(named: "bulk").status.pid)
        stage.runtime.kill(second)
        // The next one comes after a second, which does not pass.
        await stage.reaches("the gap") { (try? stage.runtime.connection(named: "bulk").status)?.pid == nil }
        #expect(try stage.runtime.connection(named: "bulk").status.pid == nil)
        async let handBack = stage.runtime.close(name: "bulk", within: .seconds(5))
        await stage.reaches("closing") {
            (try? stage.runtime.send(name: "bulk", Samples.flight, to: Samples.token())) == nil
        }
        stage.apple.releaseAnswers()
        _ = try await handBack
        #expect(stage.book.summary == ["accepted": 10] && stage.book.endedOnceEach)
        #expect(stage.runtime.names.isEmpty && stage.runtime.registry.destinations.isEmpty)
        await stage.end()
    }

    @Test("parity: P7, E6 – a credential that is refused from the start ends the whole pool, and everybody is told")
    func refusedFromTheStart() async throws {
        let credentials = try ThrowAwayCredentials(environments: [.development])
        let delay = Duration.milliseconds(900)
        let stage = try await PoolStage(
            3...3, isUp: false, credentials: credentials,
            before: { $0.faults.add(FaultRule(.connecting, .delayHandshake(delay), times: 3)) },
            config: { $0.retry.onRefusedCredential = .giveUp })
        stage.push(0..<60)
        // All three handshakes wait. The pool looks at its loads every second, which must not be taken for one of them.
        await stage.rehearsal.time?.waitUntilArmed(count: 3, by: stage.runtime.now.advanced(by: delay))
        stage.rehearsal.time?.advance(by: delay)
        await stage.book.wait(for: 60)
        #expect(stage.book.summary == ["credential_refused not_sent": 60] && stage.book.endedOnceEach)
        let messages = await stage.messages { if case .givenUp = $0 { true } else { false } }
        #expect(downs(messages).count == 4, "three connections and the pool: \(messages)")
        #expect(messages.count { if case .givenUp("bulk") = $0 { true } else { false } } == 1)
        #expect(stage.runtime.pid(of: "bulk") == nil)
        await stage.end()
    }

    @Test("parity: P7 – a credential that is refused later suspends the whole pool; one probe serves all")
    func suspendedAndBack() async throws {
        let stage = try await suspendedStage()
        stage.push(3..<33)
        await stage.book.wait(for: 33)
        #expect(stage.book.summary == ["accepted": 3, "credential_refused not_sent": 30])
        // One push tries the credential once the pause is over, all the others are answered at once.
        stage.rehearsal.time?.advance(by: .seconds(61))
        stage.push(33..<34)
        await stage.book.wait(for: 34)
        #expect(stage.book.summary == ["accepted": 4, "credential_refused not_sent": 30])
        await stage.has(up: 3)
        stage.push(34..<64)
        await stage.book.wait(for: 64)
        #expect(stage.book.summary == ["accepted": 34, "credential_refused not_sent": 30] && stage.book.endedOnceEach)
        await stage.end()
    }

    @Test func theSameCredentialGivenAgainEndsTheSuspensionOfAll() async throws {
        let stage = try await suspendedStage()
        try await stage.runtime.connection(named: "bulk").replaceCredential(
            with: stage.rehearsal.certificateConfig.credential)
        await stage.has(up: 3)
        stage.push(3..<63)
        await stage.book.wait(for: 63)
        #expect(stage.book.summary == ["accepted": 63] && stage.book.endedOnceEach)
        #expect(stage.members.allSatisfy { $0.generation > 1 }, "\(stage.members)")
        await stage.end()
    }

    @Test("ordered per device and drain hold across a pool that is resized meanwhile")
    func orderAndDrainHoldWhileResized() async throws {
        let stage = try await PoolStage(1...1, config: { $0.limits.maxInFlight = 3 })
        let options = PushOptions(ordered: .perDevice)
        let pushing = Task.detached {
            var handles: [PushHandle] = []
            for number in 0..<600 {
                handles.append(
                    stage.runtime.push(
                        name: "bulk", Samples.flight, to: Samples.token(number % 30), options: options,
                        completion: stage.book.completion(number)))
                if number.isMultiple(of: 20) { await Task.yield() }
            }
            return handles
        }
        for round in 0..<20 {
            try stage.runtime.connection(named: "bulk").resize(to: round % 2 == 0 ? 4...4 : 1...1)
            await giveTurns(20)
        }
        let handles = await pushing.value
        #expect(try await stage.runtime.connection(named: "bulk").drain(within: .seconds(60)))
        // Drained: every completion has returned, whichever connection had its push.
        #expect(stage.book.summary == ["accepted": 600] && stage.book.endedOnceEach)
        let byDevice = Dictionary(grouping: stage.apple.ledger.records, by: \.deviceToken)
        for device in 0..<30 {
            let arrived = byDevice[Samples.token(device).hex, default: []].map(\.apnsID)
            #expect(arrived == stride(from: device, to: 600, by: 30).map { handles[$0].apnsID?.description })
        }
        await stage.end()
    }

    @Test func closingHandsBackWhatAllConnectionsHad() async throws {
        let stage = try await PoolStage(3...3, config: { $0.limits.maxInFlight = 2 })
        stage.apple.holdAnswers()
        for number in 0..<12 {
            try stage.runtime.send(name: "bulk", Samples.flight, to: Samples.token(number), context: number)
            await stage.isLoaded(inFlight: min(number + 1, 6), waiting: max(0, number - 5))
        }
        stage.push(100..<103)
        await stage.isLoaded(inFlight: 6, waiting: 9)
        #expect(await stage.apple.ledger.wait { $0.pushes == 6 })
        let handBack = try await stage.runtime.close(name: "bulk", within: .zero)
        #expect(handBack.unknown.count == 6 && handBack.notSent.count == 6 && handBack.answeredElsewhere == 3)
        await stage.book.wait(for: 3)
        #expect(stage.book.summary == ["closed not_sent": 3])
        #expect(stage.runtime.pid(of: "bulk") == nil)
        #expect(throws: PushError.self) {
            try stage.runtime.send(name: "bulk", Samples.flight, to: Samples.token())
        }
        // The name is free.
        try stage.runtime.connect(name: "bulk", size: 1, config: stage.rehearsal.config)
        await stage.end()
    }

    @Test func closingAnIdlePoolEndsEverythingOnce() async throws {
        let stage = try await PoolStage(3...3)
        let pool = try #require(stage.runtime.pid(of: "bulk"))
        try await stage.runtime.connection(pool).close()
        let messages = await stage.messages { if case .down(pool, _) = $0 { true } else { false } }
        #expect(Set(downs(messages)).count == 4 && downs(messages).count == 4, "\(messages)")
        #expect(await stage.apple.ledger.wait { $0.openConnections == 0 })
        await stage.end()
    }

    @Test func shutdownEndsPoolsToo() async throws {
        let stage = try await PoolStage(3...3)
        stage.push(0..<300)
        await stage.runtime.shutdown(within: .seconds(10))
        await stage.book.wait(for: 300)
        #expect(stage.book.summary == ["accepted": 300] && stage.runtime.names.isEmpty)
        #expect(await stage.apple.ledger.wait { $0.openConnections == 0 })
        await stage.end()
    }

    @Test func releasingTheRuntimeEndsItsPools() async throws {
        let apple: SimulatedAPNs
        do {
            let stage = try await PoolStage(2...2)
            apple = stage.apple
        }
        #expect(await apple.ledger.wait { $0.openConnections == 0 })
        apple.stop()
    }
}

/// A bulk over a pool.
@Suite(.timeLimit(.minutes(2))) struct PoolBulkStories {
    @Test("parity: P2 – a bulk over a pool uses all its links, and each element has one outcome, also when one breaks")
    func aBulkOverAPool() async throws {
        let stage = try await PoolStage(3...3)
        let victim = try #require(stage.apple.connections.first)
        stage.apple.faults.add(FaultRule(.pushNumber(500), .cut(.reset), on: .only(victim), times: 1))
        let tokens = (0..<20_000).map { Samples.token($0) }
        var outcomes = OutcomeCounts()
        for try await outcome in try stage.runtime.connection(named: "bulk").bulk(Samples.flight, to: tokens) {
            outcomes.note(outcome)
        }
        #expect(outcomes.indices.count == 20_000 && outcomes.repeated == 0)
        #expect(outcomes.accepted + outcomes.unknown == 20_000 && outcomes.unknown <= 1_256, "\(outcomes.unknown)")
        #expect(stage.spread.count >= 3)
        await stage.end()
    }

    @Test func anOutageOfAllLinksPausesTheReading() async throws {
        let stage = try await PoolStage(2...2)
        stage.apple.refuseConnections()
        await stage.apple.cutConnections()
        await stage.has(up: 0)
        var iterator = try stage.runtime.connection(named: "bulk").bulk(
            Samples.flight, to: (0..<100).map { Samples.token($0) }
        )
        .makeAsyncIterator()
        let first = Task { try await iterator.next() }
        await stage.rehearsal.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
        #expect(try stage.runtime.connection(named: "bulk").load.waiting == 0, "nothing was read")
        stage.apple.acceptConnections()
        await stage.reaches("up again") {
            stage.passesALook()
            return stage.members.contains { $0.phase == .up }
        }
        #expect(try await first.value?.result.isAccepted == true)
        await stage.end()
    }

    @Test func aPoolThatIsClosedEndsItsBulk() async throws {
        let stage = try await PoolStage(2...2)
        stage.apple.holdAnswers()
        var iterator = try stage.runtime.connection(named: "bulk").bulk(
            Samples.flight, to: (0..<10_000).map { Samples.token($0) }
        )
        .makeAsyncIterator()
        let reading = Task {
            var count = 0
            do { while try await iterator.next() != nil { count += 1 } } catch { return (count, error as? PushError) }
            return (count, nil)
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 2_000 })
        try await stage.runtime.close(name: "bulk", within: .zero)
        let (count, error) = await reading.value
        #expect(error?.code == .closed && count >= 2_000 && count < 10_000)
        await stage.end()
    }
}

private struct OutcomeCounts {
    var indices: Set<Int> = []
    var repeated = 0
    var accepted = 0
    var unknown = 0

    mutating func note(_ outcome: BulkOutcome) {
        if !indices.insert(outcome.index).inserted { repeated += 1 }
        switch outcome.result {
        case .success(let response): if response.isAccepted { accepted += 1 }
        case .failure(let error): if error.certainty == .unknown { unknown += 1 }
        }
    }
}

extension Result<PushResponse, PushError> {
    fileprivate var isAccepted: Bool { (try? get())?.isAccepted ?? false }
}
