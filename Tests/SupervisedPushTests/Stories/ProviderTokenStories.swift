import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// What becomes of pushes whose provider token APNs calls expired, or changed too often.
@Suite("parity: E5, F6 – a provider token that is refused", .timeLimit(.minutes(5)))
struct ProviderTokenStories {
    private func push(_ stage: Rehearsal, _ numbers: Range<Int>, _ book: OutcomeBook, name: String = "orders") {
        for number in numbers {
            stage.runtime.push(
                name: name, Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
    }

    @Test func aThousandExpiredAtOnceMakeOneTokenAndOneLinkAndGoOutInCallOrder() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig, owner: mailbox)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        let first = try #require(try stage.runtime.connection(named: "orders").providerToken())
        // The machine's clock was two hours slow, and is set right: to APNs the token is two hours old.
        let time = try #require(stage.time)
        time.setWallClock(milliseconds: time.wallClockMilliseconds + 2 * 3_600_000)
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        push(stage, 0..<1_000, book)
        let arrived = await stage.apple.ledger.wait(within: .seconds(120)) { $0.pushes == 1_001 }
        let load = try stage.runtime.connection(named: "orders").load
        #expect(arrived, "\(stage.apple.ledger.snapshot) \(load)")
        stage.apple.releaseAnswers()
        await book.wait(for: 1_000)
        #expect(book.summary == ["accepted": 1_000] && book.endedOnceEach)

        let second = try #require(try stage.runtime.connection(named: "orders").providerToken())
        #expect(second.issuedAtSeconds == first.issuedAtSeconds + 7_200)
        let snapshot = stage.apple.ledger.snapshot
        #expect(snapshot.refusals == [.expiredProviderToken: 1_000] && snapshot.accepted == 1_001)
        #expect(snapshot.connections == 2 && stage.apple.ledger.repeatedDeviceTokens == 0)
        let resent = stage.apple.ledger.records.suffix(1_000)
        let isInCallOrder = resent.map(\.deviceToken) == (0..<1_000).map { Samples.token($0).hex }
        #expect(isInCallOrder)
        mailbox.close()
        var heard: [String] = []
        for await message in mailbox {
            switch message {
            case .connectionUp(_, _, let generation): heard.append("up \(generation)")
            case .draining(_, _, let generation, let reason): heard.append("draining \(generation) \(reason ?? "")")
            default: heard.append("\(message)")
            }
        }
        #expect(heard == ["up 1", "draining 1 ExpiredProviderToken", "up 2"])
        await stage.end()
    }

    @Test func aFreshTokenThatIsExpiredTooIsTheAnswerAndNoLoop() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.faults.add(FaultRule(.push, .refuse(.expiredProviderToken)))
        let book = OutcomeBook()
        push(stage, 0..<100, book)
        await book.wait(for: 100)
        #expect(book.summary == ["rejected": 100] && book.endedOnceEach)
        guard case .success(let response)? = book.outcomes(0).first else { Issue.record("no answer"); return }
        #expect(response.reason == .expiredProviderToken && response.reason?.remedy.contains("clock") == true)
        let before = stage.apple.ledger.snapshot
        #expect(before.connections == 2 && before.refusals[.expiredProviderToken] ?? 0 <= 200)
        // Within the minute nothing is renewed and nothing dialled again; the connection stays, and is not suspended.
        push(stage, 100..<110, book)
        await book.wait(for: 110)
        #expect(book.summary == ["rejected": 110])
        #expect(stage.apple.ledger.snapshot.connections == 2)
        stage.apple.faults.removeAll()
        push(stage, 110..<120, book)
        await book.wait(for: 120)
        #expect(book.summary == ["rejected": 110, "accepted": 10])
        await stage.end()
    }

    @Test func aTokenThatOneConnectionRenewedServesTheOtherOnAFreshLink() async throws {
        let stage = try Rehearsal.inMemory()
        for name in ["orders", "news"] {
            try stage.runtime.connect(name: name, config: stage.patientConfig)
            _ = try await stage.runtime.push(name: name, Samples.flight, to: Samples.token(9_999))
        }
        let first = try #require(try stage.runtime.connection(named: "news").providerToken())
        stage.apple.faults.add(FaultRule(.push, .refuse(.expiredProviderToken), times: 1))
        let book = OutcomeBook()
        push(stage, 0..<10, book)
        await book.wait(for: 10)
        let second = try #require(try stage.runtime.connection(named: "news").providerToken())
        #expect(second != first && book.summary == ["accepted": 10])
        #expect(stage.apple.ledger.snapshot.connections == 3)

        // On its old link the new token comes too soon: TooManyProviderTokenUpdates, from the simulator's own check.
        stage.time?.advance(by: .seconds(2))
        push(stage, 10..<60, book, name: "news")
        await book.wait(for: 60)
        #expect(book.summary == ["accepted": 60] && book.endedOnceEach)
        let snapshot = stage.apple.ledger.snapshot
        #expect(snapshot.refusals[.tooManyProviderTokenUpdates] ?? 0 > 0 && snapshot.connections == 4)
        #expect(try stage.runtime.connection(named: "orders").providerToken() == second)
        await stage.end()
    }

    @Test func anUnrelatedKeyReplacesTheLinkByItself() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.faults.add(FaultRule(.push, .refuse(.unrelatedKeyIDInToken), on: .first(1)))
        let book = OutcomeBook()
        push(stage, 0..<100, book)
        await book.wait(for: 100)
        #expect(book.summary == ["accepted": 100] && book.endedOnceEach)
        let snapshot = stage.apple.ledger.snapshot
        #expect(snapshot.connections == 2 && snapshot.refusals[.unrelatedKeyIDInToken] ?? 0 > 0)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        await stage.end()
    }

    @Test func tooManyUpdatesSaidAgainIsTheAnswer() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        let token = try stage.runtime.connection(named: "orders").providerToken()
        stage.apple.faults.add(FaultRule(.push, .refuse(.tooManyProviderTokenUpdates)))
        let book = OutcomeBook()
        push(stage, 0..<100, book)
        await book.wait(for: 100)
        #expect(book.summary == ["rejected": 100] && book.endedOnceEach)
        #expect(stage.apple.ledger.snapshot.connections == 2)
        #expect(try stage.runtime.connection(named: "orders").providerToken() == token)
        await stage.end()
    }
}
