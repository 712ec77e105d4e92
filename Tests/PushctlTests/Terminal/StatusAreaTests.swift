import PushCampaign
import PushTerminal
import SupervisedPush
import Testing

@testable import pushctl

/// The status area of `bulk`, as lines of text.
@Suite struct StatusAreaTests {
    private static let utf8 = TerminalStyle(columns: 80) { ["TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": "1"][$0] }
    private static let ascii = TerminalStyle(columns: 80) { ["TERM": "xterm", "LANG": "C", "NO_COLOR": "1"][$0] }

    private static func underWay() -> RunStatus {
        var status = RunStatus()
        status.seconds = 47
        status.tally.count(.delivered, times: 44_100)
        status.tally.count(.rejected, reason: "Unregistered", times: 900)
        status.tally.count(.rejected, reason: "BadDeviceToken", times: 200)
        status.tally.count(.unknown, reason: "timed_out", times: 10)
        status.inFlight = 812
        status.waiting = 40
        status.share = 0.4521
        status.rate = 981.4
        status.rates = (0..<47).map { Double($0 % 9) * 100 }
        status.secondsLeft = 57
        status.links.endpoint = "api.push.apple.com:443"
        status.links.up = 1
        return status
    }

    private static func inOutage() -> RunStatus {
        var status = underWay()
        status.rate = 0
        status.links.up = 0
        status.links.downFor = 12
        status.links.givesUpIn = 288
        status.links.nextAttempt = 6
        status.links.cause = "connection refused"
        return status
    }

    private static func lines(
        _ status: RunStatus, _ columns: Int, _ style: TerminalStyle = utf8, rows: Int = 24
    ) -> [String] {
        var style = style
        style.columns = columns
        return StatusArea(status, style).lines(rows: rows)
    }

    @Test func eightyColumnsShowWhatMatters() {
        #expect(
            Self.lines(Self.underWay(), 80) == [
                "██████████░░░░░░░░░░░░░░  45%  45,210 done  981/s ▆▇██▁▂▃▄▅▆▇██▁▂  ETA 0:57",
                "44,100 delivered  1,100 rejected  0 failed  10 unknown: timed_out 10",
                "link up  812 in flight  40 waiting  to api.push.apple.com:443",
                "Ctrl-C: stop reading and drain",
            ])
    }

    @Test func noLineIsWiderThanTheTerminal() {
        var stopping = Self.underWay()
        stopping.stopping = .init(signal: .interrupt, underWay: 812, seconds: 9.4)
        var large = Self.underWay()
        for outcome in PushOutcome.Kind.allCases { large.tally.count(outcome, times: 1_234_567_890) }
        for status in [Self.underWay(), Self.inOutage(), stopping, large] {
            for style in [Self.utf8, Self.ascii] {
                for columns in 1...220 {
                    let widths = Self.lines(status, columns, style).map(\.columns)
                    #expect(widths.allSatisfy { $0 < max(2, columns) }, "\(columns): \(widths)")
                }
            }
        }
    }

    @Test(arguments: [60, 80, 200]) func whatFailedAndIsUnknownStays(_ columns: Int) {
        var status = Self.underWay()
        status.tally.count(.failed, reason: "invalid_input", times: 7)
        for status in [
            status,
            {
                var outage = status; outage.links.up = 0; outage.links.downFor = 3; return outage
            }(),
        ] {
            let text = Self.lines(status, columns).joined(separator: "\n")
            #expect(text.contains("7 failed") && text.contains("10 unknown") && text.contains("1,100 rejected"))
        }
    }

    @Test func reasonsGoBeforeCounts() {
        let wide = Self.lines(Self.underWay(), 200)[1]
        #expect(wide.contains("1,100 rejected: Unregistered 900, BadDeviceToken 200") && wide.contains("timed_out 10"))
        let narrow = Self.lines(Self.underWay(), 60)[1]
        #expect(narrow == "44,100 delivered  1,100 rejected  0 failed  10 unknown")
    }

    @Test func anOutageSaysHowLongItLastsAndHasNoEstimate() {
        let lines = Self.lines(Self.inOutage(), 80)
        #expect(!lines[0].contains("ETA"))
        #expect(lines[2].hasPrefix("no link for 0:12, gives up in 4:48; next attempt in 6 s"))
        #expect(Self.lines(Self.inOutage(), 200)[2].contains("next attempt in 6 s: connection refused"))
        #expect(Self.lines(Self.inOutage(), 60)[2] == "no link for 0:12, gives up in 4:48; next attempt in 6 s")
    }

    @Test func theLastLineSaysWhatCtrlCDoesNow() {
        var status = Self.underWay()
        #expect(Self.lines(status, 80).last == "Ctrl-C: stop reading and drain")
        status.stopping = .init(signal: .interrupt, underWay: 1, seconds: 10)
        #expect(
            Self.lines(status, 100).last
                == "stopping: 1 push under way, up to 10 s; once more Ctrl-C leaves without waiting")
        #expect(Self.lines(status, 60).last == "stopping: 1 push, up to 10 s; once more Ctrl-C leaves")
        #expect(!Self.lines(status, 200).joined().contains("ETA"))
        status.stopping = .init(signal: .terminate, underWay: 812, seconds: 3.2, isLeaving: false)
        #expect(
            Self.lines(status, 100).last
                == "stopping: 812 pushes under way, up to 3.2 s; another signal leaves without waiting")
        status.stopping?.isLeaving = true
        #expect(Self.lines(status, 80).last == "leaving: what is in flight becomes unknown")
    }

    @Test func aLowTerminalShowsTheMostUrgentLines() {
        #expect(Self.lines(Self.underWay(), 80, rows: 5).count == 4)
        let low = Self.lines(Self.underWay(), 80, rows: 3)
        #expect(low.count == 2 && low[0].contains("45%") && low[1].contains("0 failed"))
        let outage = Self.lines(Self.inOutage(), 80, rows: 3)
        #expect(outage.count == 2 && outage[0].contains("0 failed") && outage[1].hasPrefix("no link for 0:12"))
        let one = Self.lines(Self.underWay(), 80, rows: 1)
        #expect(one.count == 1 && one[0].contains("0 failed  10 unknown"))
    }

    @Test func asciiAloneWhereTheLocaleHasNoMore() {
        var status = Self.underWay()
        status.tally.count(.rejected, reason: "Grund für nichts")
        let lines = Self.lines(status, 200, Self.ascii)
        let text = lines.joined()
        #expect(text.utf8.count == text.unicodeScalars.count)
        #expect(lines[0].hasPrefix("[#################.....................]  45%"))
        #expect(lines[1].contains("Grund f?r nichts 1"))
    }

    @Test func coloursAreThereUnlessTheyAreNotWanted() {
        var style = Self.utf8
        #expect(!Self.lines(Self.underWay(), 80).joined().contains("\u{1B}"))
        style.isColoured = true
        let lines = Self.lines(Self.underWay(), 80, style)
        #expect(lines[1].contains("\u{1B}[31m10 unknown\u{1B}[0m") && !lines[1].contains("\u{1B}[31m0 failed"))
        #expect(Self.lines(Self.inOutage(), 80, style)[2].hasPrefix("\u{1B}[31mno link for"))
    }

    @Test func aPoolSaysHowManyLinksItHas() {
        var status = Self.underWay()
        (status.links.up, status.links.total, status.links.nextAttempt) = (3, 4, 2)
        #expect(Self.lines(status, 80)[2].hasPrefix("3 of 4 links up  next attempt in 2 s  812 in flight  40 waiting"))
    }

    @Test func theTextOfAServerControlsNoTerminal() {
        var status = Self.underWay()
        status.tally.count(.rejected, reason: "a\u{1B}[2Jb\nc", times: 10_000)
        #expect(Self.lines(status, 200)[1].contains("a [2Jb c 10,000"))
    }

    @Test func aLineForALogHasTheFigures() {
        #expect(
            StatusText.logLine(Self.underWay(), at: "2026-11-21T09:30:05Z")
                == "2026-11-21T09:30:05Z 45,210 done  981/s  45%  ETA 0:57  812 in flight  40 waiting  1,100 rejected"
                + "  0 failed  10 unknown  link up")
        #expect(
            StatusText.logLine(Self.inOutage(), at: "2026-11-21T09:30:05Z").hasSuffix(
                "10 unknown  no link for 0:12, gives up in 4:48; next attempt in 6 s"))
    }

    @Test func aSnapshotNamesReasonsAndLinks() {
        var status = Self.inOutage()
        status.held = 2
        #expect(
            StatusText.snapshot(status, at: "2026-11-21T09:30:05Z") == """
                pushctl: 2026-11-21T09:30:05Z, after 0:47, api.push.apple.com:443
                records    45,210  0/s, 45% of the input
                delivered  44,100
                rejected    1,100  Unregistered 900, BadDeviceToken 200
                failed          0
                unknown        10  timed_out 10
                in flight     812  40 more wait to be written; 2 have timed out and may still be answered
                links      no link for 0:12, gives up in 4:48; next attempt in 6 s: connection refused
                """)
    }
}

/// The status area of `queue put`, and its lines for a log.
@Suite struct PutStatusTests {
    private static func putting() -> RunStatus {
        var (status, put) = (RunStatus(), PutStanding())
        (put.place, put.tokens, put.entries, put.invalid) = ("pushes.db", 123_456, 483, 2)
        (status.seconds, status.share, status.rate, status.secondsLeft) = (12, 0.5, 10_288, 12)
        status.put = put
        return status
    }

    private static func waiting() -> RunStatus {
        var status = putting()
        status.put?.awaitsOutcomes = true
        status.put?.isOver = true
        status.tally.count(.delivered, times: 1_000)
        status.tally.count(.rejected, reason: "Unregistered", times: 10)
        return status
    }

    private static func lines(_ status: RunStatus, _ columns: Int = 80, rows: Int = 24) -> [String] {
        let style = TerminalStyle(columns: columns) { ["TERM": "xterm", "LANG": "C", "NO_COLOR": "1"][$0] }
        return StatusArea(status, style).lines(rows: rows)
    }

    @Test func itShowsHowMuchIsPutAndHowFast() {
        #expect(
            Self.lines(Self.putting()) == [
                "[###########...........]  50%  123,456 put  10,288/s  ETA 0:12  after 0:12",
                "123,456 tokens put in 483 entries  2 invalid", "to pushes.db", "Ctrl-C: put no more",
            ])
    }

    @Test func withWaitItShowsTheOutcomes() {
        let lines = Self.lines(Self.waiting())
        #expect(lines[0].contains("1,010 done"))
        #expect(lines[1] == "1,000 delivered  10 rejected: Unregistered 10  0 failed  0 unknown")
        #expect(lines[2] == "123,456 tokens put in 483 entries  2 invalid  to pushes.db")
        #expect(lines[3] == "Ctrl-C: wait no longer; what is put is pushed")
    }

    @Test func whatKeepsItFromPuttingComesFirst() {
        var status = Self.putting()
        status.put?.hindrance = "the queue is full"
        #expect(Self.lines(status)[2] == "the queue is full  to pushes.db" && !Self.lines(status)[0].contains("ETA"))
        // In a low terminal, it stays.
        #expect(Self.lines(status, rows: 3)[1].hasPrefix("the queue is full"))
        #expect(StatusText.record(status).level == .warning)
    }

    @Test func noLineIsWiderThanTheTerminal() {
        var (hindered, stopping) = (Self.waiting(), Self.putting())
        hindered.put?.hindrance = "the queue does not answer"
        stopping.stopping = .init(signal: .interrupt, underWay: 0, seconds: 0)
        for status in [Self.putting(), Self.waiting(), hindered, stopping] {
            for columns in 1...200 {
                #expect(Self.lines(status, columns).allSatisfy { $0.columns < max(2, columns) }, "\(columns)")
            }
        }
    }

    @Test func aLogHasItsFigures() {
        #expect(
            StatusText.logLine(Self.putting(), at: "T")
                == "T 123,456 tokens put in 483 entries  10,288/s  50%  ETA 0:12  2 invalid")
        #expect(
            StatusText.logLine(Self.waiting(), at: "T").hasSuffix(
                "1,010 done  10,288/s  50%  ETA 0:12  2 invalid  10 rejected  0 failed  0 unknown"))
        let record = StatusText.record(Self.putting())
        #expect(record.fields.contains(.init("tokens", .count(123_456))) && record.level == .info)
    }
}
