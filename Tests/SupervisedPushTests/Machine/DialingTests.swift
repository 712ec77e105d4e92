import Testing

@testable import SupervisedPush

@Suite struct DialingTests {
    @Test func startDialsOnce() {
        var harness = MachineHarness()
        #expect(harness.feed(.start) == ["dial 1"])
        #expect(harness.feed(.start) == [])
        #expect(harness.machine.phase == .dialing)
    }

    @Test("parity: E11 – pushes wait for the link and go out in arrival order")
    func pushesWaitForTheLinkAndGoOutInCallOrder() {
        var harness = MachineHarness()
        #expect(harness.push(1) == [])
        _ = harness.feed(.start)
        #expect(harness.push(2, 3) == [])
        #expect(
            harness.feed(.settings(MachineHarness.link(1), maxStreams: 1_000)) == [
                "up 1", "submit 1 on 1/1", "submit 2 on 1/3", "submit 3 on 1/5",
            ])
    }

    @Test("parity: E15 – the pauses grow as 1, 3, 7, 10, 10 and begin again after a useful link")
    func thePausesGrowToTheCeilingAndBeginAnewAfterAUsefulLink() {
        var harness = MachineHarness()
        _ = harness.feed(.start)
        for (attempt, seconds) in [(1, 1), (2, 3), (3, 7), (4, 10), (5, 10)] {
            let link = UInt32(attempt)
            #expect(harness.lose(link: link) == ["reconnecting \(attempt) in \(seconds) s"])
            #expect(harness.advance(by: .seconds(seconds)) == ["dial \(attempt + 1)"])
        }
        _ = harness.feed(.settings(MachineHarness.link(6), maxStreams: 1_000))
        _ = harness.push(1)
        _ = harness.answer(1, link: 6)
        #expect(harness.lose(link: 6) == ["reconnecting 1 in 1 s"])
    }

    @Test func aLinkThatWasNotUsefulDoesNotResetThePauses() {
        var harness = MachineHarness.up()
        #expect(harness.lose() == ["reconnecting 1 in 1 s"])
        #expect(harness.advance(by: .seconds(1)) == ["dial 2"])
        _ = harness.feed(.settings(MachineHarness.link(2), maxStreams: 1_000))
        #expect(harness.lose(link: 2) == ["reconnecting 2 in 3 s"])
    }

    @Test("parity: E16 – an attempt to connect ends after 15 s")
    func anAttemptEndsAfterFifteenSeconds() {
        var harness = MachineHarness()
        _ = harness.feed(.start)
        #expect(harness.advance(by: .milliseconds(14_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["abandon 1", "reconnecting 1 in 1 s"])
        // News of an attempt that was given up changes nothing.
        #expect(harness.lose(link: 1) == [])
        #expect(harness.feed(.settings(MachineHarness.link(1), maxStreams: 1)) == [])
    }

    @Test func jitterTakesOffAtMostAFifth() {
        var backoff = Backoff(ceiling: .seconds(10), seed: 42)
        var pauses: [Duration] = []
        for _ in 0..<20 { pauses.append(backoff.next()) }
        let full: [Duration] = [.seconds(1), .seconds(3), .seconds(7)] + Array(repeating: .seconds(10), count: 17)
        for (pause, whole) in zip(pauses, full) {
            #expect(pause <= whole)
            #expect(pause >= whole * 0.8)
        }
        #expect(Set(pauses).count == 20)
    }

    @Test func aPauseIsRepeatableFromItsSeed() {
        var first = Backoff(ceiling: .seconds(10), seed: 9)
        var second = Backoff(ceiling: .seconds(10), seed: 9)
        for _ in 0..<5 { #expect(first.next() == second.next()) }
    }
}
