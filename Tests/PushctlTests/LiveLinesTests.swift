import Dispatch
import PushLocking
import Testing

@testable import pushctl

@Suite struct LiveLinesTests {
    @Test func linesComeInOrder() {
        let written = Locked<[UInt8]>([])
        let lines = LiveLines { bytes in written.withLock { $0 += bytes } }
        for number in 1...100 { lines.add("line \(number)") }
        lines.finish()
        let text = String(decoding: written.withLock { $0 }, as: UTF8.self)
        #expect(text == (1...100).map { "line \($0)\n" }.joined())
    }

    @Test func aTerminalThatStandsStillDelaysNothingAndTheGapIsShown() {
        let written = Locked<[UInt8]>([])
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let lines = LiveLines { bytes in
            begun.signal()
            goOn.wait()
            written.withLock { $0 += bytes }
        }
        lines.add("first")
        begun.wait()
        let line = String(repeating: "x", count: 1_023)
        // Twice as many as fit.
        let count = 2 * LiveLines.capacity / 1_024
        for _ in 0..<count { lines.add(line) }
        for _ in 0..<3 { goOn.signal() }
        lines.finish()
        lines.add("last")
        goOn.signal()
        lines.finish()
        let text = String(decoding: written.withLock { $0 }, as: UTF8.self).split(separator: "\n")
        #expect(text.first == "first" && text.last == "last")
        #expect(text.count { $0 == line } == count / 2)
        #expect(
            text.dropLast().last == "pushctl: \(count / 2) lines are left out here, because standard error is slow")
    }
}
