import Testing

@testable import pushctl

@Suite struct ProgressTests {
    private func counts(done: Int, inFlight: Int = 0, bytes: UInt64 = 0, size: UInt64? = nil) -> ProgressLine.Counts {
        var counts = ProgressLine.Counts()
        counts.tally.count(.delivered, times: done)
        counts.inFlight = inFlight
        counts.bytesRead = bytes
        counts.size = size
        return counts
    }

    @Test func automaticMeansATerminalOrNothing() {
        if case .live(100) = ProgressLine.Style(.auto, isTerminal: true, width: 100) {
        } else {
            Issue.record("not live")
        }
        if case .none = ProgressLine.Style(.auto, isTerminal: false, width: 80) {} else { Issue.record("not none") }
        if case .plain = ProgressLine.Style(.plain, isTerminal: false, width: 80) {} else { Issue.record("not plain") }
        if case .none = ProgressLine.Style(.none, isTerminal: true, width: 80) {} else { Issue.record("not none") }
    }

    @Test func plainLinesComeAtIntervalsWithRateShareAndEstimate() {
        var line = ProgressLine(.plain)
        let half = counts(done: 5_000, bytes: 500, size: 1_000)
        #expect(line.render(half, at: 10) == "5,000 done  500/s  50%  ETA 0:10  0 in flight\n")
        #expect(line.render(half, at: 12) == nil)
        #expect(
            line.render(counts(done: 10_000, bytes: 1_000, size: 1_000), at: 20)?.contains("100%  ETA 0:00") == true)
    }

    @Test func whatIsInFlightIsNotDone() {
        var line = ProgressLine(.plain)
        let text = line.render(counts(done: 500, inFlight: 500, bytes: 1_000, size: 1_000), at: 10)
        #expect(text == "500 done  50/s  50%  ETA 0:10  500 in flight\n")
    }

    @Test func anInputWithoutSizeHasNoEstimate() {
        var line = ProgressLine(.plain)
        #expect(line.render(counts(done: 10, bytes: 100), at: 1) == "10 done  10/s  0 in flight\n")
    }

    @Test func theLiveLineRenewsItselfAndFitsTheTerminal() {
        var line = ProgressLine(.live(width: 20))
        #expect(line.erase() == "")
        let text = line.render(counts(done: 1_000_000, bytes: 1, size: 2), at: 1) ?? ""
        #expect(text.hasPrefix("\r\u{1B}[2K1,000,000 done"))
        #expect(text.count - "\r\u{1B}[2K".count <= 19)
        #expect(line.render(counts(done: 1_000_001), at: 1.1) == nil)
        #expect(line.erase() == "\r\u{1B}[2K")
        #expect(line.render(counts(done: 1_000_001), at: 1.15) != nil)
    }

    @Test func problemsAreCountedAndNamed() {
        var line = ProgressLine(.plain)
        var counts = counts(done: 1)
        counts.tally.count(.rejected, times: 1_000)
        counts.tally.count(.unknown)
        #expect(line.render(counts, at: 1)?.hasSuffix("1,000 rejected  1 unknown\n") == true)
    }

    @Test func aRunThatStopsHasNoEstimate() {
        var line = ProgressLine(.plain)
        var counts = counts(done: 1_888, inFlight: 1, bytes: 9, size: 100)
        counts.secondsToStop = 8.6
        #expect(line.render(counts, at: 2) == "1,888 done  stopping, up to 0:09  1 in flight\n")
    }

    @Test func noProgressSaysNothing() {
        var line = ProgressLine(.none)
        #expect(line.render(counts(done: 1), at: 100) == nil)
    }

    @Test func figuresReadTheSameEverywhere() {
        #expect(Figures.grouped(0) == "0")
        #expect(Figures.grouped(999) == "999")
        #expect(Figures.grouped(-1_234_567) == "-1,234,567")
        #expect(Figures.clock(7) == "0:07")
        #expect(Figures.clock(3_725) == "1:02:05")
        #expect(Figures.clock(.infinity) == "–")
        #expect(Figures.clock(.nan) == "–")
        #expect(Figures.pace(100_000, seconds: 4.2) == "in 4.2 s (23,810/s)")
        #expect(Figures.pace(1, seconds: 0) == "in 0.0 s")
        for (seconds, text) in [
            (0, "0 s"), (45, "45 s"), (60, "1 min"), (330, "5 min 30 s"), (-7_200, "2 h"), (7_230, "2 h"),
            (5_400, "1 h 30 min"), (90_061, "1 d 1 h"), (86_400, "1 d"), (400_000_000, "4,629 d 15 h"),
        ] as [(Int64, String)] {
            #expect(Figures.span(seconds) == text)
        }
    }

    @Test func onlyTheFirstLineProblemsArePrinted() {
        var problems = LineProblems(inputName: "in.csv", most: 2)
        #expect(problems.report(InputRecord(line: 1)) == nil)
        #expect(problems.report(InputRecord(line: 7, problem: "bad\nthing")) == "pushctl: in.csv, line 7: bad thing")
        #expect(problems.report(InputRecord(line: 8, problem: "p")) != nil)
        #expect(problems.remainder == nil)
        #expect(problems.report(InputRecord(line: 9, problem: "p")) == nil)
        #expect(problems.remainder == "pushctl: in.csv: 1 more records were not pushed; see their reasons")
    }
}
