import ProcessRuntime
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// What becomes of pushes that are called while a queue is full: every one ends once.
@Suite(.timeLimit(.minutes(5))) struct BoundsStories {
    /// A connection whose link does not come up, so that everything waits.
    private func silent(
        _ change: (inout PushConnection.Configuration) -> Void, runtime: PushRuntime.Configuration = .init(),
        owner: Mailbox<LifecycleMessage>? = nil
    ) throws -> Rehearsal {
        let stage = try Rehearsal.inMemory(runtime: runtime)
        stage.apple.mute()
        try stage.runtime.connect(name: "orders", config: stage.config.with(change), owner: owner)
        return stage
    }

    private func push(_ numbers: Range<Int>, _ stage: Rehearsal, _ book: OutcomeBook, _ options: PushOptions = .init())
    {
        for number in numbers {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), options: options,
                completion: book.completion(number))
        }
    }

    @Test("parity: E21 – by default what cannot wait is refused at once, and says how full it is")
    func completionsAndSendsAreRefusedAtOnce() async throws {
        let stage = try silent { $0.limits.maxWaiting = 5 }
        let book = OutcomeBook()
        push(0..<8, stage, book)
        await book.wait(for: 3)
        #expect(book.summary == ["overloaded not_sent": 3] && Set(book.order) == [5, 6, 7])
        guard case .failure(let error)? = book.outcomes(5).first else { Issue.record("taken in"); return }
        #expect(error.load?.inFlight == 0 && error.load?.waiting == 5 && error.load?.limit == 5)
        let refusal = #expect(throws: PushError.self) {
            try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token())
        }
        #expect(refusal?.code == .overloaded)
        try await stage.runtime.close(name: "orders", within: .zero)
        #expect(book.count == 8 && book.endedOnceEach)
        await stage.end()
    }

    @Test func aRefusedPushHasAnIDOfItsOwnAndItsContext() async throws {
        let stage = try silent { $0.limits.maxWaiting = 1 }
        try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token())
        let book = OutcomeBook()
        let handles = (0..<3).map { number in
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(1), context: number,
                completion: book.completion(number))
        }
        await book.wait(for: 3)
        let refused = (0..<3).compactMap { number in
            if case .failure(let error)? = book.outcomes(number).first { error } else { PushError?.none }
        }
        #expect(refused.map(\.pushID) == handles.map(\.id) && Set(handles.map(\.id)).count == 3)
        #expect(refused.allSatisfy { $0.code == .overloaded && $0.certainty == .notSent })
        #expect(refused.map { $0.context as? Int } == [0, 1, 2])
        await stage.end()
    }

    @Test("parity: P2 – bounded with back-pressure: async callers wait for room, first come, first served")
    func asyncCallersWaitForRoomFirstComeFirstServed() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(
            name: "orders",
            config: stage.patientConfig.with {
                $0.limits.maxWaiting = 2
                $0.limits.maxInFlight = 1
            })
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.holdAnswers()
        let results = await withTaskGroup(of: Bool.self, returning: [Bool].self) { group in
            for number in 0..<20 {
                group.addTask {
                    let answer = try? await stage.runtime.push(
                        name: "orders", Samples.flight, to: Samples.token(number))
                    return answer?.isAccepted == true
                }
            }
            #expect(await stage.apple.ledger.wait(within: .seconds(120)) { $0.pushes == 2 })
            stage.apple.releaseAnswers()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 20 && results.allSatisfy { $0 })
        #expect(stage.apple.ledger.snapshot.accepted == 21)
        await stage.end()
    }

    @Test func asyncCallersThatDoNotWantToWaitAreRefused() async throws {
        let stage = try silent { $0.limits.maxWaiting = 1 }
        try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token())
        let error = await #expect(throws: PushError.self) {
            try await stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(1), options: PushOptions(whenFull: .reject))
        }
        #expect(error?.code == .overloaded && error?.certainty == .notSent)
        await stage.end()
    }

    @Test func aCallerThatWaitsForRoomHasItsTimeout() async throws {
        let stage = try silent { $0.limits.maxWaiting = 1 }
        try stage.runtime.send(
            name: "orders", Samples.flight, to: Samples.token(), options: PushOptions(timeout: .seconds(600)))
        let task = Task {
            try await stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(1), options: PushOptions(timeout: .seconds(3)))
        }
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(3)))
        stage.time?.advance(by: .seconds(3))
        let error = await #expect(throws: PushError.self) { try await task.value }
        #expect(error?.code == .timedOut && error?.certainty == .notSent)
        await stage.end()
    }

    @Test("parity: G4 – dropOldest: the oldest end as dropped, not sent, the newest go out, none is silent")
    func theOldestGoAndTheNewestGoOut() async throws {
        let stage = try silent {
            $0.limits.maxWaiting = 10
            $0.limits.whenFull = .dropOldest
            $0.timeout = .seconds(600)
        }
        let book = OutcomeBook()
        push(0..<10, stage, book)
        // A few at a time: a dropped push counts until its completion has returned.
        for start in stride(from: 10, to: 210, by: 4) {
            push(start..<start + 4, stage, book)
            await book.wait(for: start - 6)
        }
        #expect(book.order == Array(0..<200))
        stage.apple.unmute()
        await book.wait(for: 210)
        #expect(book.endedOnceEach && book.summary == ["dropped not_sent": 200, "accepted": 10])
        #expect(stage.apple.ledger.records.map(\.deviceToken) == (200..<210).map { Samples.token($0).hex })
        #expect(try stage.runtime.connection(named: "orders").status.counters.dropped == 200)
        await stage.end()
    }

    @Test func whileAnswersThatNobodyTakesFillTheQueueEvenDropOldestRefuses() async throws {
        let stage = try silent {
            $0.limits.maxWaiting = 10
            $0.limits.whenFull = .dropOldest
        }
        let book = OutcomeBook()
        push(0..<500, stage, book)
        try await stage.runtime.close(name: "orders", within: .zero)
        #expect(book.count == 500 && book.endedOnceEach)
        let summary = book.summary
        #expect(summary["closed not_sent"] == 10 && summary["accepted"] == nil)
        #expect((summary["dropped not_sent"] ?? 0) + (summary["overloaded not_sent"] ?? 0) == 490)
        await stage.end()
    }

    @Test("parity: G4 – dropped fire-and-forget pushes are handed back, in call order, and counted")
    func droppedSendsComeBackToTheOwner() async throws {
        let owner = Mailbox<LifecycleMessage>()
        let stage = try silent(
            {
                $0.limits.maxWaiting = 10
                $0.limits.whenFull = .dropOldest
            }, owner: owner)
        for number in 0..<100 {
            try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token(number), context: number)
        }
        var returned: [Int] = []
        while returned.count < 90 {
            guard case .handedBack(_, "orders", let pushes)? = await owner.receive(where: \.isHandBack) else {
                Issue.record("nothing handed back")
                return
            }
            #expect(pushes.unknown.isEmpty && pushes.unprocessed.isEmpty)
            let numbers = pushes.notSent.compactMap { $0.context as? Int }
            // Each message is in call order; two of them may cross where the process is a queue's worth behind.
            #expect(numbers == numbers.sorted())
            returned += numbers
        }
        #expect(returned.sorted() == Array(0..<90))
        let rest = try await stage.runtime.close(name: "orders", within: .zero)
        #expect(rest.notSent.map { $0.context as? Int } == Array(90..<100))
        await stage.end()
    }

    @Test func aPushMayDropOthersWhereTheConnectionWouldRefuse() async throws {
        let stage = try silent { $0.limits.maxWaiting = 2 }
        let book = OutcomeBook()
        push(0..<3, stage, book)
        push(3..<4, stage, book, PushOptions(whenFull: .dropOldest))
        await book.wait(for: 2)
        #expect(book.outcomes(2).count == 1 && book.outcomes(0).count == 1 && book.outcomes(3).isEmpty)
        #expect(book.summary == ["overloaded not_sent": 1, "dropped not_sent": 1])
        await stage.end()
    }

    @Test("parity: F4 – the byte budget of the runtime: a full tenant stops the others only at its bound")
    func theRuntimesBudgetIsShared() async throws {
        let stage = try Rehearsal.inMemory(runtime: .init(maxWaitingBytes: 1 << 20))
        stage.apple.mute()
        let config = stage.config.with { $0.limits.maxWaiting = 1_000_000 }
        try stage.runtime.connect(name: "greedy", config: config)
        try stage.runtime.connect(name: "modest", config: config)
        var sent = 0
        while (try? stage.runtime.send(name: "greedy", Samples.flight, to: Samples.token(sent))) != nil { sent += 1 }
        #expect(sent > 1_000)
        let error = #expect(throws: PushError.self) {
            try stage.runtime.send(name: "modest", Samples.flight, to: Samples.token())
        }
        #expect(error?.code == .overloaded && error?.description.contains("byte budget") == true)
        // One that can wait is let in when the other connection gives its part back.
        async let answer = stage.runtime.push(name: "modest", Samples.flight, to: Samples.token(1))
        async let room: Void = stage.runtime.connection(named: "modest").whenRoom()
        let handBack = try await stage.runtime.close(name: "greedy", within: .zero)
        #expect(handBack.notSent.count == sent)
        try await room
        try await stage.runtime.close(name: "modest", within: .zero)
        _ = try? await answer
        await stage.end()
    }

    @Test("parity: E21 – whenRoom: back-pressure for the forms that cannot wait")
    func whenRoomComesOnceThereIsRoom() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(
            name: "orders",
            config: stage.config.with {
                $0.limits.maxWaiting = 1
                $0.limits.maxInFlight = 1
            })
        try await stage.runtime.connection(named: "orders").whenRoom()
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        push(0..<1, stage, book)
        #expect(await stage.apple.ledger.wait(within: .seconds(120)) { $0.pushes == 2 })
        // Its room is free once the drain that wrote it has ended.
        try await until { try stage.runtime.connection(named: "orders").load.waiting == 0 }
        push(1..<2, stage, book)
        let rooms = Locked(0)
        try stage.runtime.connection(named: "orders").whenRoom { _ in rooms.withLock { $0 += 1 } }
        let orders = try stage.runtime.connection(named: "orders")
        let waiting = Task { try await orders.whenRoom() }
        let cancelled = Task { try await stage.runtime.connection(named: "orders").whenRoom() }
        cancelled.cancel()
        let error = await #expect(throws: PushError.self) { try await cancelled.value }
        #expect(error?.code == .cancelled)
        #expect(rooms.withLock { $0 } == 0)
        stage.apple.releaseAnswers()
        try await waiting.value
        await book.wait(for: 2)
        #expect(book.summary == ["accepted": 2])
        await stage.end()
        #expect(rooms.withLock { $0 } == 1)
    }

    @Test func whenRoomEndsWithTheConnection() async throws {
        let stage = try silent { $0.limits.maxWaiting = 1 }
        try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token())
        let orders = try stage.runtime.connection(named: "orders")
        let waiting = Task { try await orders.whenRoom() }
        try await stage.runtime.close(name: "orders", within: .zero)
        let error = await #expect(throws: PushError.self) { try await waiting.value }
        #expect(error?.code == .closed)
        let closed = await #expect(throws: PushError.self) { try await orders.whenRoom() }
        #expect(closed?.code == .closed)
        await stage.end()
    }
}

extension LifecycleMessage {
    var isHandBack: Bool { if case .handedBack = self { true } else { false } }
    var isDown: Bool { if case .down = self { true } else { false } }
    var isGivenUp: Bool { if case .givenUp = self { true } else { false } }
    var isUp: Bool { if case .connectionUp = self { true } else { false } }
}
