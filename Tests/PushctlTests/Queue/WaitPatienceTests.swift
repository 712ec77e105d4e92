import Testing

@testable import pushctl

@Suite struct WaitPatienceTests {
    @Test func silenceIsReportedEachMinuteAndThenEnds() {
        var patience = WaitPatience(limit: 150)
        patience.heard(at: 100)
        let times = [100.0, 159, 160, 219, 220, 249, 250]
        #expect(
            times.map { patience.step(at: $0) } == [
                .goOn, .goOn, .report(left: 90), .goOn, .report(left: 30), .goOn, .giveUp,
            ])
    }

    @Test func anOutcomeEndsTheSilence() {
        var patience = WaitPatience(limit: 100)
        #expect(patience.step(at: 99) == .report(left: 1))
        patience.heard(at: 99)
        #expect(patience.step(at: 150) == .goOn)
        #expect(patience.step(at: 199) == .giveUp)
    }

    @Test func aDelayIsNoSilence() {
        var patience = WaitPatience(limit: 10, start: 3_600)
        patience.heard(at: 5)
        #expect(patience.step(at: 3_609) == .goOn)
        #expect(patience.step(at: 3_610) == .giveUp)
    }
}
