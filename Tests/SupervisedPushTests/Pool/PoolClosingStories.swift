import Dispatch
import ProcessRuntime
import PushSimulator
import TestSupport
import Testing

@testable import SupervisedPush

/// A pool that is closed, or whose connections end, while something else is under way.
@Suite(.timeLimit(.minutes(2))) struct PoolClosingStories {
    @Test("parity: E20 – what waits in a pool that is closed is still sent, although no link is up yet")
    func whatWaitsIsSentByTheDeadline() async throws {
        let delay = Duration.milliseconds(900)
        let stage = try await PoolStage(
            4...4, isUp: false,
            before: { $0.faults.add(FaultRule(.connecting, .delayHandshake(delay), times: 4)) })
        stage.push(0..<80)
        await stage.rehearsal.time?.waitUntilArmed(count: 4, by: stage.runtime.now.advanced(by: delay))
        async let handBack = stage.runtime.close(name: "bulk", within: .seconds(10))
        await stage.reaches("closing") {
            (try? stage.runtime.send(name: "bulk", Samples.flight, to: Samples.token())) == nil
        }
        #expect(stage.book.count == 0)
        // The first that is up must not be given what the others have.
        stage.rehearsal.time?.advance(by: delay)
        await stage.book.wait(for: 80)
        #expect(stage.book.summary == ["accepted": 80] && stage.book.endedOnceEach)
        _ = try await handBack
        #expect(stage.runtime.pid(of: "bulk") == nil)
        await stage.end()
    }

    @Test func closedWhileItGrowsAPoolEndsAndFreesItsName() async throws {
        let stage = try await PoolStage(1...1)
        for round in 0..<5 {
            let name = "pool \(round)"
            try stage.runtime.connect(name: name, size: 1...100, config: stage.rehearsal.certificateConfig)
            // So many are not started before the close begins.
            try stage.runtime.connection(named: name).resize(to: 100...100)
            try await stage.runtime.close(name: name, within: .zero)
            #expect(stage.runtime.pid(of: name) == nil)
        }
        #expect(stage.runtime.names == ["bulk"])
        await stage.end()
    }

    @Test(
        "parity: P7 – while completions keep refused connections from ending, a push is refused and does not go round")
    func membersThatHaveEndedAreNotTriedForEver() async throws {
        let delay = Duration.milliseconds(900)
        let stage = try await PoolStage(
            3...3, isUp: false, credentials: try ThrowAwayCredentials(environments: [.development]),
            before: { $0.faults.add(FaultRule(.connecting, .delayHandshake(delay), times: 3)) },
            config: { $0.retry.onRefusedCredential = .giveUp })
        let gate = DispatchSemaphore(value: 0)
        let ended = OutcomeBook()
        for number in 0..<60 {
            stage.runtime.push(name: "bulk", Samples.flight, to: Samples.token(number)) { outcome in
                ended.completion(number)(outcome)
                gate.wait()
            }
        }
        // None is refused before it has pushes whose completions keep it.
        await stage.rehearsal.time?.waitUntilArmed(count: 3, by: stage.runtime.now.advanced(by: delay))
        stage.rehearsal.time?.advance(by: delay)
        // The first completion blocks the end of all others.
        await ended.wait(for: 1)
        let error = await #expect(throws: PushError.self) {
            _ = try await stage.runtime.push(name: "bulk", Samples.flight, to: Samples.token(60))
        }
        #expect([.closed, .credentialRefused].contains(error?.code))
        // It returns, with or without room at the third, which may not have been refused yet.
        try? await stage.runtime.connection(named: "bulk").whenRoom()
        for _ in 0..<60 { gate.signal() }
        await ended.wait(for: 60)
        #expect(ended.endedOnceEach)
        await stage.end()
    }

    @Test func aMemberThatIsClosedTakesNothingMoreAndTheOthersTakeWhatWaits() async throws {
        let stage = try await PoolStage(2...2, config: { $0.limits.maxInFlight = 5 })
        stage.apple.holdAnswers()
        stage.push(0..<20)
        await stage.isLoaded(inFlight: 10, waiting: 10)
        let member = try #require(stage.runtime.connection(named: "bulk").members.first)
        _ = await member.close(within: .zero)
        #expect(stage.book.summary == ["closed unknown": 5])
        stage.apple.releaseAnswers()
        await stage.book.wait(for: 20)
        #expect(stage.book.summary == ["closed unknown": 5, "accepted": 15] && stage.book.endedOnceEach)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        await stage.has(up: 2)
        await stage.end()
    }

    @Test func theOnlyMemberOfAPoolIsReplacedIfItIsClosed() async throws {
        let stage = try await PoolStage(1...1)
        let member = try #require(stage.runtime.connection(named: "bulk").members.first)
        // It returns at once: the clock stands still.
        _ = await member.close()
        stage.push(0..<5)
        await stage.book.wait(for: 5)
        #expect(stage.book.summary == ["accepted": 5])
        #expect(stage.members.map(\.pid) != [member.pid])
        await stage.end()
    }

    @Test func theLargestNumbersAreBoundsLikeOthers() async throws {
        let stage = try await PoolStage(
            2...2,
            config: {
                $0.limits.maxInFlight = .max
                $0.limits.maxWaiting = .max
                $0.limits.maxWaitingBytes = .max
            })
        stage.push(0..<100)
        await stage.book.wait(for: 100)
        #expect(stage.book.summary == ["accepted": 100])
        #expect(try stage.runtime.connection(named: "bulk").load.limit > 1_000_000)
        let bulk = try await stage.runtime.connection(named: "bulk").bulk(CountedSource(100)).tally()
        #expect(bulk.summary == ["accepted": 100])
        await stage.end()
    }
}
