import PushTerminal
import Testing

@testable import pushctl

@Suite struct LatencyHistogramTests {
    private func histogram(_ times: some Sequence<UInt64>) -> LatencyHistogram {
        times.reduce(into: LatencyHistogram()) { $0.add($1) }
    }

    @Test func aPercentileIsExactToOnePartIn128() throws {
        let times = histogram((1...10_000).map { UInt64($0) * 1_000 })
        for percent in [1.0, 50, 90, 99, 99.9] {
            let exact = percent * 100_000
            let found = Double(try #require(times.percentile(percent)))
            #expect(found >= exact && found <= exact * (1 + 1.0 / 128), "\(percent)")
        }
        #expect(times.percentile(100) == 10_000_000)
    }

    @Test func ofOneTimeEveryPercentileIsThatTime() {
        for time in [0, 1, 127, 128, 255, 256, 1_000_003, UInt64.max] {
            let one = histogram([time])
            #expect(one.percentile(0) == time || time > 1 << 40)
            #expect(one.percentile(50) == one.percentile(99.9))
            #expect(one.percentile(100) == one.percentile(0))
        }
    }

    @Test func withoutTimesThereIsNothingToSay() {
        #expect(LatencyHistogram().percentile(50) == nil)
        #expect(LatencyHistogram().rows(atMost: 16).isEmpty)
    }

    @Test(arguments: [
        [1_000_000], [1_000_000, 1_100_000], [800, 1_000_000, 2_000_000, 900_000_000_000], [0, 5, UInt64.max],
    ])
    func theRowsHaveEveryTimeAndAreFew(_ times: [UInt64]) {
        let rows = histogram(times).rows(atMost: 16)
        #expect(rows.reduce(0) { $0 + $1.count } == times.count)
        #expect(rows.first?.count != 0 && rows.last?.count != 0)
        #expect(rows.map(\.from) == rows.map(\.from).sorted())
        #expect(rows.count <= 34)
    }

    @Test func rowsAreFineWhereTimesAreClose() {
        // Eight rows for a doubling: from 1.05 ms to 2.1 ms.
        #expect(histogram([1_100_000, 2_000_000]).rows(atMost: 16).count > 4)
        #expect(histogram([1_000, 1_000_000_000]).rows(atMost: 16).count <= 21)
    }

    // MARK: The drawing

    private var spread: LatencyHistogram {
        let times = (0..<5_000).map { (number: UInt64) -> UInt64 in 200_000 + number * number * 40 }
        return histogram(times + [3_000_000_000])
    }

    @Test(arguments: [true, false])
    func aDrawingFitsSixtyColumns(_ isUTF8: Bool) {
        let lines = HistogramDrawing(histogram: spread, isUTF8: isUTF8).lines
        #expect(!lines.isEmpty && lines.allSatisfy { $0.count == HistogramDrawing.columns })
        #expect(isUTF8 || lines.allSatisfy { $0.utf8.count == $0.count })
    }

    @Test func aRowThatCountsAnythingShowsABar() {
        let lines = HistogramDrawing(
            histogram: histogram([UInt64](repeating: 1_000_000, count: 9_999) + [9_000_000]), isUTF8: true
        ).lines
        #expect(lines.first?.contains("█") == true)
        #expect(lines.last?.contains("▏") == true)
    }

    @Test(arguments: [
        (0, "0.00 µs"), (820_400, "820 µs"), (999_400, "999 µs"), (999_600, "1.00 ms"), (23_940_000, "23.9 ms"),
        (1_254_000_000, "1.25 s"), (99_960_000_000, "100 s"),
    ])
    func aLatencyHasThreeDigits(_ nanoseconds: UInt64, _ text: String) {
        #expect(LatencyText.of(nanoseconds, isUTF8: true) == text)
        #expect(LatencyText.of(nanoseconds, isUTF8: false) == text.replacing("µ", with: "u"))
    }
}
