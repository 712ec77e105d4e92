import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Who owns an outcome, and what becomes of a connection whose owner goes.
@Suite(.timeLimit(.minutes(5))) struct OwnerStories {
    @Test("parity: E23 – keep: the owner goes, the connection goes on, and what nobody takes back is counted")
    func theConnectionOutlivesItsOwner() async throws {
        let stage = try Rehearsal.inMemory()
        let log = CapturedLog()
        var owner: Mailbox<LifecycleMessage>? = Mailbox()
        try stage.runtime.connect(
            name: "orders", config: stage.config.with { $0.watching.logger = log.logger() }, owner: owner)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        owner = nil
        stage.apple.holdAnswers()
        for number in 0..<5 { try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token(number)) }
        #expect(await stage.apple.ledger.wait { $0.pushes == 6 })
        await stage.apple.cutConnections()
        try await until { try stage.runtime.connection(named: "orders").status.counters.handBacksLost >= 5 }
        let warning = "pushes ended without an answer and could not be handed back"
        await until { log.lines.contains(where: { $0.contains(warning) }) }
        stage.apple.releaseAnswers()
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
        stage.time?.advance(by: .seconds(1))
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(6)).isAccepted)
        await stage.end()
    }

    @Test(
        "parity: E23 – close: the owner goes, what flies may finish, then the name is free", arguments: [true, false])
    func theConnectionClosesWithItsOwner(byRelease: Bool) async throws {
        let stage = try Rehearsal.inMemory()
        var owner: Mailbox<LifecycleMessage>? = Mailbox()
        try stage.runtime.connect(
            name: "orders", config: stage.config.with { $0.ownerPolicy = .close }, owner: owner)
        let subscriber = Mailbox<LifecycleMessage>()
        try stage.runtime.subscribe(name: "orders", subscriber)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        for number in 0..<10 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 11 })
        if !byRelease { owner?.close() }
        owner = nil
        await until { (try? stage.runtime.send(name: "orders", Samples.flight, to: Samples.token())) == nil }
        #expect(book.count == 0)
        stage.apple.releaseAnswers()
        guard case .down(_, .normal)? = await subscriber.receive(where: \.isDown) else {
            Issue.record("no down"); return
        }
        await book.wait(for: 10)
        #expect(book.summary == ["accepted": 10] && book.endedOnceEach)
        await until { stage.runtime.pid(of: "orders") == nil }
        await stage.end()
    }

    @Test func atItsLimitAConnectionWithoutItsOwnerEnds() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(
            name: "orders", config: stage.patientConfig.with { $0.ownerPolicy = .close(within: .seconds(3)) },
            owner: owner)
        let book = OutcomeBook()
        stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(), completion: book.completion(0))
        owner.close()
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(3)))
        stage.time?.advance(by: .seconds(3))
        await book.wait(for: 1)
        #expect(book.summary == ["closed not_sent": 1])
        await stage.end()
    }

    @Test func anOwnerThatIsGoneAtTheCallClosesTheConnectionAtOnce() async throws {
        let stage = try Rehearsal.inMemory()
        let owner = Mailbox<LifecycleMessage>()
        owner.close()
        try stage.runtime.connect(
            name: "orders", config: stage.config.with { $0.ownerPolicy = .close(within: .zero) }, owner: owner)
        await until { stage.runtime.pid(of: "orders") == nil }
        await stage.end()
    }

    @Test("parity: G3, F4 – a link is lost: fire and forget comes back in call order, the others as a number")
    func outcomesHaveOneOwner() async throws {
        let stage = try Rehearsal.inMemory()
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.config, owner: owner)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        for number in 0..<20 {
            if number.isMultiple(of: 2) {
                try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token(number), context: number)
            } else {
                stage.runtime.push(
                    name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
            }
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 21 })
        await stage.apple.cutConnections()
        guard case .handedBack(_, "orders", let pushes)? = await owner.receive(where: \.isHandBack) else {
            Issue.record("nothing handed back")
            return
        }
        #expect(pushes.unknown.map { $0.context as? Int } == (0..<10).map { 2 * $0 })
        #expect(pushes.notSent.isEmpty && pushes.unprocessed.isEmpty && pushes.answeredElsewhere == 10)
        await book.wait(for: 10)
        #expect(book.summary == ["connection_lost unknown": 10])
        await stage.end()
    }

    @Test func anOwnerThatDoesNotReadLosesNoMoreThanItsMailboxHolds() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        let owner = Mailbox<LifecycleMessage>(limit: 10)
        try stage.runtime.connect(
            name: "orders",
            config: stage.config.with {
                $0.limits.maxWaiting = 5
                $0.limits.whenFull = .dropOldest
            }, owner: owner)
        for number in 0..<1_000 { try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token(number)) }
        try await until { try stage.runtime.connection(named: "orders").status.counters.dropped >= 995 }
        // What was dropped last is counted before it is handed back.
        var (returned, lost) = (0, 0)
        while returned + lost < 995 {
            lost = try stage.runtime.connection(named: "orders").status.counters.handBacksLost
            while let message = await owner.receive(timeout: .zero) {
                if case .handedBack(_, _, let pushes) = message { returned += pushes.count }
            }
        }
        #expect(returned + lost == 995 && returned >= 10)
        await stage.end()
    }

    @Test func withNobodyWaitingForCloseTheOwnerGetsWhatIsLeft() async throws {
        let stage = try Rehearsal.inMemory()
        let owner = Mailbox<LifecycleMessage>()
        stage.apple.mute()
        do {
            let runtime = stage.anotherRuntime()
            try runtime.connect(name: "orders", config: stage.config, owner: owner)
            for number in 0..<5 {
                try runtime.send(name: "orders", Samples.flight, to: Samples.token(number), context: number)
            }
        }
        guard case .handedBack(_, "orders", let pushes)? = await owner.receive(where: \.isHandBack) else {
            Issue.record("nothing handed back")
            return
        }
        #expect(pushes.notSent.map { $0.context as? Int } == Array(0..<5))
        await stage.end()
    }
}
