import PushTerminal
import Testing

@testable import pushctl

/// The table of a worker on a terminal.
@Suite struct WorkerAreaTests {
    private func row(_ queue: String, _ state: QueueState = .working, waiting: Int? = 3_120) -> WorkerArea.Row {
        var figures = QueueFigures()
        (figures.waiting, figures.inFlight, figures.delivered, figures.rejected) = (waiting, 12, 198_400, 7)
        return WorkerArea.Row(queue: queue, state: state, figures: figures, rate: 1_234)
    }

    private func style(_ columns: Int) -> TerminalStyle {
        TerminalStyle(columns: columns) { ["TERM": "xterm", "NO_COLOR": "1", "LANG": "C.UTF-8"][$0] }
    }

    private func lines(_ rows: [WorkerArea.Row], _ columns: Int, _ height: Int = 24) -> [String] {
        WorkerArea(rows: rows, seconds: 35, isStopping: false).lines(style(columns), height: height)
    }

    @Test func eachQueueHasARowAndTroubleComesFirst() {
        #expect(
            lines([row("orders"), row("news", .suspended, waiting: nil)], 80) == [
                "2 queues, 1 not well  2,468/s  after 0:35",
                "QUEUE   STATE      WAITING    N/S  DELIVERED  REJECTED  IN FLIGHT",
                "news    suspended        –  1,234    198,400         7         12",
                "orders  working      3,120  1,234    198,400         7         12",
                "Ctrl-C: take nothing more and drain",
            ])
    }

    @Test func aNarrowTerminalHasFewerColumns() {
        let lines = lines([row("orders")], 40)
        #expect(lines[1] == "QUEUE   STATE    WAITING    N/S" && lines[2] == "orders  working    3,120  1,234")
        #expect(self.lines([row("orders")], 12).allSatisfy { $0.count < 12 })
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 10, 24, 60]) func theTableFitsAnyHeight(_ height: Int) {
        let rows = (0..<20).map { row("tenant\($0)", $0 == 17 ? .noLink : .working) }
        let lines = lines(rows, 80, height)
        #expect(lines.count <= max(1, height - 1) && lines.first?.hasPrefix("20 queues, 1 not well") == true)
        if height > 5 { #expect(lines[2].hasPrefix("tenant17  no link")) }
        if (5...23).contains(height) { #expect(lines.dropLast().last?.hasPrefix("… ") == true) }
    }

    @Test func aTerminalWithoutUTF8GetsNone() {
        let plain = TerminalStyle(columns: 80) { ["TERM": "xterm", "NO_COLOR": "1"][$0] }
        let area = WorkerArea(rows: [row("orders", waiting: nil)], seconds: 1, isStopping: true)
        #expect(area.lines(plain, height: 24).allSatisfy { $0.allSatisfy(\.isASCII) })
    }
}
