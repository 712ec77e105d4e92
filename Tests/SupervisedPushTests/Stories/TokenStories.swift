import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Provider tokens over hours, many connections, and clocks that jump.
@Suite("parity: E5, F6 – one provider token for all connections of a key", .timeLimit(.minutes(5)))
struct TokenStories {
    /// Pushes once over each connection; returns which provider tokens these pushes bore.
    private func round(_ stage: Rehearsal, _ names: [String]) async throws -> Set<Int?> {
        let before = stage.apple.ledger.records.count
        for name in names {
            let answer = try await stage.runtime.push(name: name, Samples.flight, to: Samples.token())
            #expect(answer.isAccepted, "\(answer)")
        }
        return Set(stage.apple.ledger.records[before...].map(\.providerToken))
    }

    @Test func fiftyConnectionsShowOneTokenAtATimeForThreeHours() async throws {
        let stage = try Rehearsal.inMemory()
        let names = (0..<50).map { "connection \($0)" }
        for name in names { try stage.runtime.connect(name: name, config: stage.patientConfig) }
        var seen: [Int?] = []
        for _ in 0..<36 {
            let shown = try await round(stage, names)
            #expect(shown.count == 1)
            seen += shown
            stage.time?.advance(by: .seconds(5 * 60))
        }
        // Renewed at 50, 100 and 150 minutes.
        let expected = [1, 2, 3, 4].flatMap { Array(repeating: Optional($0), count: $0 == 4 ? 6 : 10) }
        #expect(seen == expected)
        let snapshot = stage.apple.ledger.snapshot
        #expect(snapshot.refusals.isEmpty && snapshot.accepted == 1_800 && snapshot.connections == 50)
        await stage.end()
    }

    @Test(arguments: [false, true])
    func connectionsThatBeginAtAnyTimeNeverShowANewTokenTooSoon(sharedWindow: Bool) async throws {
        let stage = try Rehearsal.inMemory()
        let credentials = stage.apple.credentials
        let config = stage.patientConfig.with {
            $0.credential = .token(
                key: .pem(credentials.signingKeyPEM), keyID: credentials.keyID, teamID: credentials.teamID,
                sharedWindow: sharedWindow)
        }
        var names: [String] = []
        for minute in stride(from: 0, to: 180, by: 3) {
            if minute % 9 == 0 {
                names.append("from \(minute)")
                try stage.runtime.connect(name: "from \(minute)", config: config)
            }
            #expect(try await round(stage, names).count <= 2, "minute \(minute)")
            stage.time?.advance(by: .seconds(3 * 60))
        }
        #expect(stage.apple.ledger.snapshot.refusals.isEmpty)
        #expect(stage.apple.ledger.snapshot.connections == 20)
        // Apart by 20 minutes at least, whichever connection asked.
        #expect(stage.apple.ledger.records.compactMap(\.providerToken).max() ?? 0 <= 9)
        await stage.end()
    }

    @Test(arguments: [true, false])
    func aMachineThatStartedTwoHoursAheadPushesOnceItsClockIsRight(isSetRightBefore: Bool) async throws {
        let stage = try Rehearsal.inMemory(skewed: true)
        let clock = try #require(stage.clientTime)
        clock.skew = 2 * 3_600_000
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig, owner: owner)
        if isSetRightBefore { clock.skew = 0 }
        while (try? await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(1))) != nil {}
        #expect(stage.apple.ledger.snapshot.refusals.keys.map(\.rawValue) == ["InvalidProviderToken"])
        while let message = await owner.receive() { if case .suspended = message { break } }
        clock.skew = 0
        stage.time?.advance(by: .seconds(1))
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(1)).isAccepted)
        await stage.end()
    }

    @Test func aWallClockThatJumpsTwoHoursForwardsAndBackIsNotNoticed() async throws {
        let stage = try Rehearsal.inMemory(skewed: true)
        let clock = try #require(stage.clientTime)
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        let book = OutcomeBook()
        var count = 0
        for hours in [2, -2, 0] {
            stage.apple.holdAnswers()
            for number in count..<(count + 500) {
                stage.runtime.push(
                    name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
            }
            count += 500
            // One more a round goes before them.
            let arrived = count + count / 500
            #expect(await stage.apple.ledger.wait { $0.pushes == arrived })
            clock.skew = Int64(hours) * 3_600_000
            stage.time?.advance(by: .seconds(2))
            stage.apple.releaseAnswers()
            await book.wait(for: count)
            _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        }
        #expect(book.summary == ["accepted": 1_500] && book.endedOnceEach)
        let ledger = stage.apple.ledger
        #expect(ledger.snapshot.refusals.isEmpty && ledger.snapshot.pushes == 1_504 && ledger.repeatedAPNSIDs == 0)
        #expect(Set(ledger.records.map(\.providerToken)) == [1])
        await stage.end()
    }
}
