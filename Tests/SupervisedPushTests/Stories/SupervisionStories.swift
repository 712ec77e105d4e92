import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Connection processes that really fail, while pushes wait and fly: both sides' ledgers are compared.
@Suite(.timeLimit(.minutes(5))) struct SupervisionStories {
    private struct Fault: Error {}

    @Test(
        "parity: F5, E22, E11 – a process that throws: what waits passes on in call order, what was written is unknown")
    func aProcessThatThrowsLosesNothing() async throws {
        let faults = ProcessFaults()
        let stage = try Rehearsal.inMemory(faults: faults)
        let owner = Mailbox<LifecycleMessage>()
        let first = try #require(
            try stage.runtime.connect(
                name: "orders", config: stage.config.with { $0.limits.maxInFlight = 40 }, owner: owner
            ).pid)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        guard case .connectionUp(first, "orders", 1)? = await owner.receive() else { Issue.record("not up"); return }
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        push(0..<100, stage, book)
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        // The successor of the link that says goodbye cannot be made: the process throws with 40 in flight, 60 waiting.
        faults.fail("orders", times: 1)
        stage.apple.goAway()
        await book.wait(for: 40)
        #expect(faults.count("orders") == 1)
        #expect(book.summary == ["connection_lost unknown": 40] && Set(book.order) == Set(0..<40))
        guard case .down(first, .failure)? = await owner.receive(where: \.isDown) else {
            Issue.record("no down"); return
        }
        stage.apple.releaseAnswers()
        await book.wait(for: 100)
        #expect(book.summary == ["connection_lost unknown": 40, "accepted": 60] && book.endedOnceEach)
        #expect(stage.apple.ledger.snapshot.accepted == 101 && stage.apple.ledger.repeatedDeviceTokens == 0)
        #expect(stage.apple.ledger.records.suffix(60).map(\.deviceToken) == (40..<100).map { Samples.token($0).hex })
        // Its subscription passed on; the old pid is told once and is nobody any more.
        guard case .connectionUp(let second, "orders", 1)? = await owner.receive(where: \.isUp), second != first else {
            Issue.record("not up")
            return
        }
        #expect(stage.runtime.pid(of: "orders") == second)
        #expect(throws: LookupError.self) { try stage.runtime.connection(first) }
        try await stage.runtime.close(name: "orders")
        #expect(await drained(owner).filter(\.isDown).count == 1)
        await stage.end()
    }

    @Test("parity: E22, F5 – a process that keeps throwing is given up, and everybody was answered before")
    func aProcessThatKeepsThrowingIsGivenUp() async throws {
        let faults = ProcessFaults()
        faults.fail("orders")
        let stage = try Rehearsal.inMemory(faults: faults)
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig, owner: owner)
        let book = OutcomeBook()
        push(0..<10, stage, book)
        for number in 10..<15 {
            try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token(number), context: number)
        }
        let waiting = Task { try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(15)) }
        try await until { try stage.runtime.connection(named: "orders").load.waiting >= 16 }
        var pids: [ProcessID] = []
        for delay in [Duration.zero, .seconds(1), .seconds(2), nil] {
            guard case .down(let pid, .failure)? = await owner.receive(where: \.isDown) else {
                Issue.record("not down")
                return
            }
            pids.append(pid)
            if let delay, delay > .zero { await pass(delay, stage) }
        }
        #expect(Set(pids).count == 4 && faults.count("orders") == 4)
        guard case .handedBack(_, "orders", let handBack)? = await owner.receive() else { Issue.record("none"); return }
        #expect(handBack.notSent.map { $0.context as? Int } == Array(10..<15))
        #expect(handBack.answeredElsewhere == 11)
        guard case .givenUp("orders")? = await owner.receive() else { Issue.record("not given up"); return }
        // By the time of `givenUp` every completion has returned, and the name is free.
        #expect(book.summary == ["process_failed not_sent": 10] && book.endedOnceEach)
        #expect(stage.runtime.pid(of: "orders") == nil)
        let error = await #expect(throws: PushError.self) { try await waiting.value }
        #expect(error?.code == .processFailed && error?.certainty == .notSent)
        #expect(stage.apple.ledger.snapshot.pushes == 0)
        faults.stopFailing("orders")
        try stage.runtime.connect(name: "orders", config: stage.config)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        await stage.end()
    }

    @Test("parity: F14, F5 – in the gap between two processes the time of pushes is kept, and they can be cancelled")
    func theGapKeepsTime() async throws {
        let faults = ProcessFaults()
        faults.fail("orders", times: 2)
        let stage = try Rehearsal.inMemory(faults: faults)
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig, owner: owner)
        let book = OutcomeBook()
        push(0..<5, stage, book, PushOptions(timeout: .milliseconds(300)))
        for _ in 0..<2 { _ = await owner.receive(where: \.isDown) }
        // Two failures: the gap lasts a second. Nobody lives to look at the clock.
        push(5..<10, stage, book, PushOptions(timeout: .milliseconds(300)))
        push(10..<20, stage, book)
        let handle = stage.runtime.push(
            name: "orders", Samples.flight, to: Samples.token(20), completion: book.completion(20))
        handle.cancel()
        await book.wait(for: 1)
        #expect(book.summary == ["cancelled not_sent": 1])
        // The pushes' time, and the restart: its second counts from when the supervisor has heard of the end.
        await stage.time?.waitUntilArmed(count: 2, by: stage.runtime.now.advanced(by: .seconds(1)))
        await pass(.milliseconds(300), stage)
        await book.wait(for: 11)
        #expect(book.summary == ["cancelled not_sent": 1, "timed_out not_sent": 10])
        await pass(.milliseconds(700), stage)
        await book.wait(for: 21)
        #expect(book.summary == ["cancelled not_sent": 1, "timed_out not_sent": 10, "accepted": 10])
        #expect(stage.apple.ledger.records.map(\.deviceToken) == (10..<20).map { Samples.token($0).hex })
        await stage.end()
    }

    @Test("parity: E1 – a restart does not free the name; closing and giving up do")
    func aRestartKeepsTheName() async throws {
        let faults = ProcessFaults()
        faults.fail("orders", times: 2)
        let stage = try Rehearsal.inMemory(faults: faults)
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig, owner: owner)
        for _ in 0..<2 { _ = await owner.receive(where: \.isDown) }
        // After the second failure no process serves the name for a second.
        #expect(try stage.runtime.connection(named: "orders").status.pid == nil)
        #expect(isTaken("orders", stage))
        await pass(.seconds(1), stage)
        _ = await owner.receive(where: \.isUp)
        #expect(isTaken("orders", stage))
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        try await stage.runtime.close(name: "orders")
        #expect(!isTaken("orders", stage))
        try await stage.runtime.close(name: "orders")

        faults.fail("orders")
        let second = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig, owner: second)
        for delay in [Duration.zero, .seconds(1), .seconds(2), nil] {
            _ = await second.receive(where: \.isDown)
            guard let delay, delay > .zero else { continue }
            #expect(isTaken("orders", stage))
            await pass(delay, stage)
        }
        _ = await second.receive(where: \.isGivenUp)
        faults.stopFailing("orders")
        #expect(!isTaken("orders", stage))
        await stage.end()
    }

    /// Whether neither a connection nor a pool can take the name. If the name is free, a pool has it afterwards.
    private func isTaken(_ name: String, _ stage: Rehearsal) -> Bool {
        do throws(ConnectError) {
            try stage.runtime.connect(name: name, size: 1, config: stage.patientConfig)
        } catch {
            #expect(error.code == .nameTaken && error.holder != nil)
            let single = #expect(throws: ConnectError.self) {
                try stage.runtime.connect(name: name, config: stage.patientConfig)
            }
            #expect(single?.code == .nameTaken)
            return true
        }
        return false
    }

    @Test func aConnectionClosedInTheGapEndsThere() async throws {
        let faults = ProcessFaults()
        faults.fail("orders", times: 2)
        let stage = try Rehearsal.inMemory(faults: faults)
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig, owner: owner)
        try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token())
        for _ in 0..<2 { _ = await owner.receive(where: \.isDown) }
        let handBack = try await stage.runtime.close(name: "orders", within: .seconds(5))
        #expect(handBack.notSent.count == 1)
        #expect(stage.runtime.pid(of: "orders") == nil)
        await pass(.seconds(2), stage, untilArmed: false)
        #expect(stage.runtime.names.isEmpty)
        await stage.end()
    }

    /// Which restart follows which end.
    static let policies: [RestartPolicy] = [.permanent, .transient, .temporary]
    static let ends = ["normal", "shutdown", "failure", "killed"]

    @Test("parity: E22 – permanent, transient, temporary × normal, shutdown, failure", arguments: policies, ends)
    func theRestartTypeDecides(policy: RestartPolicy, end: String) async throws {
        let stage = try Rehearsal.inMemory()
        let owner = Mailbox<LifecycleMessage>()
        stage.apple.mute()
        let first = try #require(
            try stage.runtime.connect(
                name: "orders", config: stage.patientConfig.with { $0.retry.restart = policy }, owner: owner
            ).pid)
        let book = OutcomeBook()
        push(0..<3, stage, book)
        let reason: ExitReason =
            switch end {
            case "normal": .normal
            case "shutdown": .shutdown
            case "killed": .killed
            default: .failure(Fault())
            }
        stage.runtime.exit(first, reason)
        guard case .down(first, let told)? = await owner.receive(where: \.isDown) else {
            Issue.record("no down"); return
        }
        #expect("\(told)" == "\(reason)")
        if policy == .permanent || (policy == .transient && reason.isAbnormal) {
            stage.apple.unmute()
            await book.wait(for: 3)
            #expect(book.summary == ["accepted": 3])
            #expect(stage.runtime.pid(of: "orders") != first)
        } else {
            await book.wait(for: 3)
            #expect(book.summary == [reason.isAbnormal ? "process_failed not_sent" : "closed not_sent": 3])
            if reason.isAbnormal { #expect(await owner.receive(where: \.isGivenUp) != nil) }
            await until { stage.runtime.pid(of: "orders") == nil }
            #expect(await drained(owner).filter(\.isGivenUp).isEmpty)
        }
        #expect(book.endedOnceEach)
        await stage.end()
    }

    @Test func aConnectionThatEndsBeforeConnectReturnsWasConnectedAllTheSame() async throws {
        let faults = ProcessFaults()
        faults.fail("")
        let stage = try Rehearsal.inMemory(faults: faults)
        for _ in 0..<500 {
            let owner = Mailbox<LifecycleMessage>()
            let connection = try stage.runtime.connect(config: stage.config, owner: owner)
            guard case .down(_, .failure)? = await owner.receive(where: \.isDown) else {
                Issue.record("no down"); return
            }
            #expect(connection.pid == nil)
            guard case .givenUp(nil)? = await owner.receive() else { Issue.record("not given up"); return }
        }
        await stage.end()
    }

    @Test func anAnonymousConnectionIsTemporaryUnlessItIsToldOtherwise() async throws {
        let faults = ProcessFaults()
        faults.fail("", times: 1)
        let stage = try Rehearsal.inMemory(faults: faults)
        let owner = Mailbox<LifecycleMessage>()
        let connection = try stage.runtime.connect(config: stage.config, owner: owner)
        guard case .down(_, .failure)? = await owner.receive(where: \.isDown) else { Issue.record("no down"); return }
        guard case .givenUp(nil)? = await owner.receive() else { Issue.record("not given up"); return }
        #expect(throws: PushError.self) { try connection.send(Samples.flight, to: Samples.token()) }

        faults.fail("", times: 1)
        let other = Mailbox<LifecycleMessage>()
        _ = try stage.runtime.connect(config: stage.config.with { $0.retry.restart = .transient }, owner: other)
        guard case .connectionUp(let successor, nil, 1)? = await other.receive(where: \.isUp) else {
            Issue.record("not up again")
            return
        }
        #expect(try await stage.runtime.push(successor, Samples.flight, to: Samples.token()).isAccepted)
        await stage.end()
    }

    @Test func theWindowIsTheConfigurations() async throws {
        let faults = ProcessFaults()
        faults.fail("orders")
        let stage = try Rehearsal.inMemory(faults: faults)
        let owner = Mailbox<LifecycleMessage>()
        let intensity = try RestartIntensity(limit: 1, period: .seconds(5), delays: [])
        try stage.runtime.connect(
            name: "orders", config: stage.config.with { $0.retry.restartIntensity = intensity }, owner: owner)
        _ = await owner.receive(where: \.isGivenUp)
        #expect(faults.count("orders") == 2)
        #expect(throws: InvalidRestartIntensity.self) {
            try RestartIntensity(limit: 3, period: .seconds(2), delays: [.seconds(1)])
        }
        await stage.end()
    }

    @Test("parity: F5 – one broken tenant among a thousand: the others notice nothing")
    func oneBrokenTenantAmongAThousand() async throws {
        let faults = ProcessFaults()
        faults.fail("tenant 500")
        let stage = try Rehearsal.inMemory(faults: faults)
        let broken = Mailbox<LifecycleMessage>()
        let others = Mailbox<LifecycleMessage>(limit: 100_000)
        let book = OutcomeBook()
        for number in 0..<1_000 {
            let name = "tenant \(number)"
            try stage.runtime.connect(
                name: name, config: stage.patientConfig, owner: number == 500 ? broken : others)
            for push in 0..<3 {
                stage.runtime.push(
                    name: name, Samples.flight, to: Samples.token(3 * number + push),
                    completion: book.completion(3 * number + push))
            }
        }
        for delay in [Duration.zero, .seconds(1), .seconds(2), nil] {
            _ = await broken.receive(where: \.isDown)
            if let delay, delay > .zero { await pass(delay, stage) }
        }
        _ = await broken.receive(where: \.isGivenUp)
        await book.wait(for: 3_000)
        #expect(book.summary == ["accepted": 2_997, "process_failed not_sent": 3] && book.endedOnceEach)
        #expect(stage.apple.ledger.snapshot.accepted == 2_997)
        #expect(stage.runtime.names.count == 999)
        #expect(await drained(others).allSatisfy(\.isUp))
        await stage.end()
    }

    private func push(_ numbers: Range<Int>, _ stage: Rehearsal, _ book: OutcomeBook, _ options: PushOptions = .init())
    {
        for number in numbers {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), options: options,
                completion: book.completion(number))
        }
    }

    private func pass(_ time: Duration, _ stage: Rehearsal, untilArmed: Bool = true) async {
        if untilArmed { await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: time)) }
        stage.time?.advance(by: time)
    }

    private func drained(_ mailbox: Mailbox<LifecycleMessage>) async -> [LifecycleMessage] {
        mailbox.close()
        var messages: [LifecycleMessage] = []
        for await message in mailbox { messages.append(message) }
        return messages
    }
}
