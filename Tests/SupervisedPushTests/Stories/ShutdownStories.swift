import Dispatch
import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

@Suite("shutdown ends everything in time, and accounts for every push", .timeLimit(.minutes(5)))
struct ShutdownStories {
    private func push(_ name: String, _ numbers: Range<Int>, _ stage: Rehearsal, _ book: OutcomeBook) {
        for number in numbers {
            stage.runtime.push(
                name: name, Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
    }

    @Test func allConnectionsDrainAtTheSameTime() async throws {
        let stage = try Rehearsal.inMemory()
        let book = OutcomeBook()
        for number in 0..<20 {
            try stage.runtime.connect(name: "tenant \(number)", config: stage.patientConfig)
            _ = try await stage.runtime.push(
                name: "tenant \(number)", Samples.flight, to: Samples.token(9_000 + number))
        }
        stage.apple.holdAnswers()
        for number in 0..<20 { push("tenant \(number)", 10 * number..<10 * number + 10, stage, book) }
        #expect(await stage.apple.ledger.wait { $0.pushes == 220 })
        async let ended = stage.runtime.shutdown(within: .seconds(5))
        await until { (try? stage.runtime.send(name: "tenant 19", Samples.flight, to: Samples.token())) == nil }
        stage.apple.releaseAnswers()
        #expect(await ended.isEmpty)
        #expect(book.summary == ["accepted": 200] && book.endedOnceEach)
        #expect(stage.runtime.names.isEmpty)
        stage.apple.stop()
    }

    @Test func atTheDeadlineEverythingEndsAndASecondCallJoins() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        let book = OutcomeBook()
        for number in 0..<5 {
            let name = "tenant \(number)"
            try stage.runtime.connect(name: name, config: stage.patientConfig)
            push(name, 10 * number..<10 * number + 10, stage, book)
            try stage.runtime.send(name: name, Samples.flight, to: Samples.token(1_000 + number), context: number)
        }
        async let first = stage.runtime.shutdown(within: .seconds(5))
        async let second = stage.runtime.shutdown(within: .seconds(60))
        await stage.time?.waitUntilArmed(count: 5, by: stage.runtime.now.advanced(by: .seconds(5)))
        stage.time?.advance(by: .seconds(5))
        let (one, two) = await (first, second)
        for handBack in [one, two] {
            #expect(Set(handBack.notSent.map { $0.context as? Int }) == Set(0..<5))
            #expect(handBack.answeredElsewhere == 50)
        }
        #expect(book.summary == ["closed not_sent": 50] && book.endedOnceEach)
        #expect(await stage.runtime.shutdown().notSent.count == 5)
        stage.apple.stop()
    }

    @Test func aSecondCallCanBeShorter() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        let book = OutcomeBook()
        push("orders", 0..<3, stage, book)
        async let patient = stage.runtime.shutdown(within: .seconds(600))
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(601)))
        _ = await stage.runtime.shutdown(within: .zero)
        _ = await patient
        #expect(book.summary == ["closed not_sent": 3])
        stage.apple.stop()
    }

    @Test func aCompletionThatBlocksDoesNotHoldItUpForLong() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        let entered = OutcomeBook()
        let gate = DispatchSemaphore(value: 0)
        stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()) { outcome in
            entered.completion(0)(outcome)
            gate.wait()
        }
        await entered.wait(for: 1)
        async let ended = stage.runtime.shutdown(within: .seconds(2))
        let end = stage.runtime.now.advanced(by: .seconds(3))
        await stage.time?.waitUntilArmed(by: end)
        stage.time?.advance(by: .seconds(3))
        #expect(await ended.isEmpty)
        #expect(stage.runtime.names == ["orders"])
        gate.signal()
        await until { stage.runtime.names.isEmpty }
        stage.apple.stop()
    }

    @Test func aSecondShorterCallIsHeededWhereACompletionBlocks() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        let entered = OutcomeBook()
        let gate = DispatchSemaphore(value: 0)
        stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()) { outcome in
            entered.completion(0)(outcome)
            gate.wait()
        }
        await entered.wait(for: 1)
        async let patient = stage.runtime.shutdown(within: .seconds(600))
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(601)))
        async let hasty = stage.runtime.shutdown(within: .seconds(2))
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(3)))
        stage.time?.advance(by: .seconds(3))
        _ = await (patient, hasty)
        #expect(stage.runtime.names == ["orders"])
        gate.signal()
        await until { stage.runtime.names.isEmpty }
        stage.apple.stop()
    }

    @Test func aReleasedRuntimeAnswersEverybody() async throws {
        let stage = try Rehearsal.inMemory()
        let book = OutcomeBook()
        do {
            let runtime = stage.anotherRuntime()
            try runtime.connect(name: "flying", config: stage.patientConfig.with { $0.limits.maxInFlight = 10 })
            _ = try await runtime.push(name: "flying", Samples.flight, to: Samples.token(9_999))
            stage.apple.holdAnswers()
            for number in 0..<30 {
                runtime.push(
                    name: "flying", Samples.flight, to: Samples.token(number), completion: book.completion(number))
            }
            #expect(await stage.apple.ledger.wait { $0.pushes == 11 })
        }
        await book.wait(for: 30)
        #expect(book.summary == ["closed unknown": 10, "closed not_sent": 20] && book.endedOnceEach)
        await stage.end()
    }

    @Test func aRuntimeReleasedInTheGapBetweenTwoProcessesAnswersEverybody() async throws {
        let faults = ProcessFaults()
        faults.fail("orders", times: 2)
        let book = OutcomeBook()
        let owner = Mailbox<LifecycleMessage>()
        do {
            let stage = try Rehearsal.inMemory(faults: faults)
            try stage.runtime.connect(name: "orders", config: stage.patientConfig, owner: owner)
            push("orders", 0..<3, stage, book)
            for _ in 0..<2 { _ = await owner.receive(where: \.isDown) }
        }
        await book.wait(for: 3)
        #expect(book.summary == ["closed not_sent": 3])
    }
}
