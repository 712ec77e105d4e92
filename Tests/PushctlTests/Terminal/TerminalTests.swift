import PushTerminal
import Testing

@testable import pushctl

/// What a terminal is told, and what is known of it.
@Suite struct TerminalTests {
    private func style(_ environment: [String: String]) -> TerminalStyle {
        TerminalStyle(columns: 80) { environment[$0] }
    }

    @Test func theEnvironmentSaysWhatATerminalCan() {
        #expect(style(["TERM": "xterm"]).isColoured && !style(["TERM": "xterm"]).isUTF8)
        #expect(style(["TERM": "xterm", "NO_COLOR": ""]).isColoured)
        #expect(!style(["TERM": "xterm", "NO_COLOR": "0"]).isColoured)
        #expect(!style(["TERM": "dumb"]).isSmart && !style(["TERM": "dumb"]).isColoured && !style([:]).isSmart)
        // The first that is there counts.
        #expect(style(["LANG": "de_DE.UTF-8"]).isUTF8 && style(["LC_CTYPE": "C.utf8", "LANG": "C"]).isUTF8)
        #expect(!style(["LC_ALL": "C", "LC_CTYPE": "C.UTF-8", "LANG": "C.UTF-8"]).isUTF8)
        #expect(style(["LC_ALL": "", "LANG": "C.UTF-8"]).isUTF8)
    }

    @Test func whatShowsFollowsFromTheModeAndTheTerminal() {
        let (smart, dumb) = (style(["TERM": "xterm"]), style(["TERM": "dumb"]))
        #expect(StatusScreen.Style(.auto, smart, showsRows: false) == .live)
        // Rows would tear the area, and show by themselves that the run goes on.
        #expect(StatusScreen.Style(.auto, smart, showsRows: true) == .none)
        #expect(StatusScreen.Style(.auto, dumb, showsRows: false) == .plain)
        #expect(StatusScreen.Style(.auto, .plain, showsRows: false) == .plain)
        for terminal in [smart, dumb, .plain] {
            #expect(StatusScreen.Style(.plain, terminal, showsRows: false) == .plain)
            #expect(StatusScreen.Style(.none, terminal, showsRows: false) == .none)
        }
    }

    @Test func theAreaIsDrawnOverItselfAndStaysBelow() {
        var painter = StatusPainter()
        #expect(painter.erase() == "" && painter.add("line\n") == "line\n")
        let area = "\r\u{1B}[?7la\u{1B}[K\r\nb\u{1B}[K\u{1B}[J\u{1B}[?7h\r\u{1B}[1A"
        #expect(painter.draw(["a", "b"]) == area)
        #expect(painter.add("line\n") == "\r\u{1B}[Jline\n" + area)
        #expect(painter.draw(["c"]) == "\r\u{1B}[?7lc\u{1B}[K\u{1B}[J\u{1B}[?7h\r")
        #expect(painter.erase() == "\r\u{1B}[J" && painter.erase() == "")
    }

    @Test func textIsWrappedBetweenWords() {
        #expect("one two three".wrapped(to: 7, indent: 0) == "one two\nthree")
        #expect(
            "advice    Check the key, the key id and the team.".wrapped(to: 32, indent: 10)
                == "advice    Check the key, the key\n          id and the team.")
        // Too narrow for such an indent.
        #expect("advice    Check the key".wrapped(to: 20, indent: 10) == "advice    Check the\n  key")
        // What is longer than a line stays whole, to be copied.
        #expect("see /a/long/path/here now".wrapped(to: 10, indent: 2) == "see\n  /a/long/path/here\n  now")
        #expect("one\ntwo three".wrapped(to: 6, indent: 1) == "one\ntwo\n three")
        #expect("漢字 漢字".wrapped(to: 8, indent: 0) == "漢字\n漢字" && "漢字 漢字".wrapped(to: 9, indent: 0) == "漢字 漢字")
        #expect("".wrapped(to: 8, indent: 2) == "")
        #expect(TerminalStyle.plain.wrap("one two three", indent: 0) == "one two three")
    }

    @Test func aRowOfATableKeepsItsColumns() {
        var style = style(["TERM": "xterm"])
        style.columns = 32
        #expect(
            style.row([Span("tls  "), Span("FAIL", .bad), Span("  ")], text: "the certificate is not trusted")
                == "tls  \u{1B}[31mFAIL\u{1B}[0m  the certificate is\n           not trusted")
    }

    @Test func aCurveReachesTheTopWithItsLargestValue() {
        #expect(Sparkline.text([0, 1, 2, 4, 8], columns: 4, isUTF8: true) == "▂▃▅█")
        #expect(Sparkline.text([0, 1, 2, 4, 8], columns: 9, isUTF8: false) == "_.:=#")
        #expect(Sparkline.text([0, 0], columns: 9, isUTF8: true) == "▁▁")
        #expect(Sparkline.text([], columns: 9, isUTF8: true) == "")
    }

    @Test func theRateIsThatOfTheLastSeconds() {
        var history = RateHistory()
        #expect(history.rate() == 0 && history.secondsLeft == nil)
        for second in 1...20 {
            // Nothing in the first ten seconds, then 100 a second.
            let settled = max(0, second - 10) * 100
            history.note(settled: settled, share: Double(settled) / 2_000, at: Double(second))
        }
        #expect(history.rate() == 100 && history.rate(over: 20) == 50)
        #expect(history.rates.count == 20 && history.rates.first == 0 && history.rates.last == 100)
        // 50 a second over the last half minute, for 1,000.
        #expect(history.secondsLeft == 20)
        for second in 21...200 { history.note(settled: 1_000, share: 0.5, at: Double(second)) }
        #expect(history.rate() == 0 && history.rates.count == 60)
        #expect(history.secondsLeft == nil)
    }

    @Test func anInputWithoutSizeHasNoEstimate() {
        var history = RateHistory()
        history.note(settled: 10, share: nil, at: 1)
        #expect(history.rate() == 10 && history.secondsLeft == nil)
    }
}
