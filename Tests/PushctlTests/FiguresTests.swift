import PushTerminal
import Testing

@testable import pushctl

@Suite struct FiguresTests {
    @Test func figuresReadTheSameEverywhere() {
        #expect(Figures.grouped(0) == "0")
        #expect(Figures.grouped(999) == "999")
        #expect(Figures.grouped(-1_234_567) == "-1,234,567")
        #expect(Figures.counted(1, one: "entry", many: "entries") == "1 entry")
        #expect(Figures.counted(0, one: "entry", many: "entries") == "0 entries")
        #expect(Figures.counted(1_602, one: "push", many: "pushes") == "1,602 pushes")
        #expect(Figures.clock(7) == "0:07")
        #expect(Figures.clock(3_725) == "1:02:05")
        #expect(Figures.clock(.infinity) == "–")
        #expect(Figures.clock(.nan) == "–")
        #expect(Figures.pace(100_000, seconds: 4.2) == "in 4.2 s (23,810/s)")
        // Too short for a rate.
        #expect(Figures.pace(1_000, seconds: 0.022) == "in 22 ms")
        #expect(Figures.pace(10, seconds: 0.14) == "in 0.1 s (71/s)")
        #expect(
            [0, 0.84, 6, 6.04, 9.96, 61, 119.7, 121].map(Figures.wait) == [
                "0 s", "0.8 s", "6 s", "6.0 s", "10 s", "61 s", "120 s", "2:01",
            ])
        for (seconds, text) in [
            (0, "0 s"), (45, "45 s"), (60, "1 min"), (330, "5 min 30 s"), (-7_200, "2 h"), (7_230, "2 h"),
            (5_400, "1 h 30 min"), (90_061, "1 d 1 h"), (86_400, "1 d"), (400_000_000, "4,629 d 15 h"),
        ] as [(Int64, String)] {
            #expect(Figures.span(seconds) == text)
        }
    }
}
