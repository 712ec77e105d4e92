import Foundation
import SupervisedPush
import Testing

@testable import pushctl

@Suite("parity: F19 – what pushctl top shows") struct TopViewTests {
    private typealias Sample = SampleSnapshot

    /// A connection and a pool, of which one connection is down.
    private func campaign(_ accepted: Int = 120_000, uptime: Double = 754) throws -> SampleSnapshot {
        var sample = Sample(uptime: uptime)
        sample.add(
            "connection:orders#1",
            try Sample.status(
                "orders",
                counters: [
                    "accepted": accepted, "rejected": 52, "rejectionsByStatus": ["400": 12, "410": 40],
                    "rejections": ["BadDeviceToken": 12, "Unregistered": 40], "restarts": 1,
                ],
                [
                    "inFlight": 812, "waiting": 1_200, "retrying": 14, "rttSeconds": 0.0124, "tokenAgeSeconds": 845,
                    "generation": 2,
                ]))
        let sum = try Sample.status("bulk", counters: ["accepted": 500], ["inFlight": 3, "streamLimit": 1_000])
        sample.addPool("pool:bulk#2", sum)
        sample.add(
            "pool:bulk/1#3", parent: "pool:bulk#2", member: 1,
            try Sample.status("bulk", counters: ["accepted": 500], ["inFlight": 3]))
        sample.add(
            "pool:bulk/2#4", parent: "pool:bulk#2", member: 2,
            try Sample.status(
                "bulk", phase: "down",
                Sample.outage("The connection was reset by the peer.").merging(["streamLimit": 0]) {
                    $1
                }))
        return sample
    }

    private func lines(_ width: Int, height: Int? = nil, colors: Bool = false) throws -> [String] {
        try TopView(campaign().decoded(), before: campaign(112_000, uptime: 753).decoded())
            .lines(width: width, height: height, colors: colors)
    }

    @Test func at200ColumnsEverythingIsThere() throws {
        #expect(
            try lines(200) == [
                "orders-service 4711  up 12:34  3 connections, 1 pool  2 up, 1 down",
                "120,552 pushes, 8,000/s  120,500 accepted  52 rejected",
                "",
                "NAME    PHASE  IN FLIGHT  WAITING  RETRYING  LIMIT  PUSHES/S  REJECTED  RESTARTS    RTT  GEN  TOKEN  PID",
                "bulk    up             3        0         0  1,000       0.0         0         0      –           –  <7>",
                "├ 1     up             3        0         0  1,000       0.0         0         0      –    1      –  <7>",
                "└ 2     down           0        0         0      0       0.0         0         0      –    1      –  <7>",
                "    Attempt 3 in 4.0 s. The connection was reset by the peer.",
                "orders  up           812    1,200        14  1,000     8,000        52         1  12 ms    2  14:05  <7>",
                "",
                "answers   200: 120,500  400: 12  410: 40",
                "rejected  Unregistered: 40  BadDeviceToken: 12",
            ])
    }

    @Test func at80ColumnsTheLeastImportantAreGone() throws {
        let lines = try lines(80)
        #expect(
            [lines[3], lines[8]] == [
                "NAME    PHASE  IN FLIGHT  WAITING  RETRYING  LIMIT  PUSHES/S  REJECTED  RESTARTS",
                "orders  up           812    1,200        14  1,000     8,000        52         1",
            ])
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test func at60ColumnsWhatFlowsIsLeft() throws {
        let lines = try lines(60)
        #expect(
            [lines[3], lines[8]] == [
                "NAME    PHASE  IN FLIGHT  WAITING  RETRYING  PUSHES/S",
                "orders  up           812    1,200        14     8,000",
            ])
        #expect(lines[7] == "    Attempt 3 in 4.0 s. The connection was reset by the pee…")
    }

    @Test(arguments: [1, 10, 20, 40, 60, 61, 79, 80, 100, 132, 200, 300])
    func noLineIsWiderThanTheTerminal(_ width: Int) throws {
        #expect(try lines(width).allSatisfy { $0.count <= width })
    }

    @Test func aLongNameGivesWay() throws {
        var sample = Sample()
        sample.add("connection:x#1", try Sample.status(String(repeating: "n", count: 300)))
        let lines = TopView(try sample.decoded(), before: nil).lines(width: 60, colors: false)
        #expect(lines[4].count <= 60 && lines[4].contains("nnnn…") && lines[4].contains("up"))
    }

    @Test func aLowTerminalSaysHowMuchIsMissing() throws {
        let lines = try lines(80, height: 9)
        #expect(lines.count == 9 && lines[5].hasPrefix("… 4 more lines") && lines[8].hasPrefix("rejected"))
        #expect(try self.lines(80, height: 12).count == 12)
        for height in 0..<9 { #expect(try self.lines(80, height: height).count <= height) }
    }

    @Test func troubleComesFirstAndIsCounted() throws {
        var sample = Sample()
        for number in 1...60 {
            let refused = ["refusal": "APNs refuses the credential.", "refusalLayer": "apns"]
            let status =
                number == 55
                ? try Sample.status("tenant55", phase: "suspended", refused)
                : try Sample.status("tenant\(number)", phase: number == 50 ? "down" : "up")
            sample.add("connection:\(number)#1", status)
        }
        let view = TopView(try sample.decoded(), before: nil)
        let lines = view.lines(width: 80, height: 24, colors: false)
        #expect(lines[0].hasSuffix("60 connections  58 up, 1 down, 1 suspended"))
        #expect(lines[4].hasPrefix("tenant55  suspended") && lines[5].contains("APNs refuses the credential"))
        #expect(lines[6].hasPrefix("tenant50  down") && lines[7].hasPrefix("tenant1 "))
    }

    @Test func aLowTerminalScrolls() throws {
        var sample = Sample()
        for number in 1...60 { sample.add("connection:\(number)#1", try Sample.status("tenant\(number)")) }
        let view = TopView(try sample.decoded(), before: nil)
        #expect(view.lines(width: 80, height: 24, colors: false)[23].hasPrefix("… 41 more lines"))
        #expect(view.lastOffset(width: 80, height: 24) == 41 && view.lastOffset(width: 80, height: 100) == 0)
        let middle = view.lines(width: 80, height: 24, offset: 5, colors: false)
        #expect(middle[3].hasPrefix("NAME") && middle[4].hasPrefix("tenant6 "))
        #expect(middle[23].hasPrefix("… 5 lines above, 36 more lines") && middle.count == 24)
        let last = view.lines(width: 80, height: 24, offset: 1_000, colors: false)
        #expect(last[22].hasPrefix("tenant60") && last[23].hasPrefix("… 41 lines above, 0 more lines"))
    }

    @Test func keysMoveWithinTheTable() {
        #expect(
            TopKey.all(in: Array("jk \u{1B}[B\u{1B}[5~x\u{1B}[3~gGq".utf8)) == [
                .down, .up, .pageDown, .down, .pageUp, .first, .last, .quit,
            ])
        #expect(TopKey.all(in: Array("\u{1B}".utf8)).isEmpty)
        #expect(TopKey.down.offset(from: 9, page: 5, last: 9) == 9 && TopKey.up.offset(from: 0, page: 5, last: 9) == 0)
        #expect(TopKey.pageDown.offset(from: 2, page: 5, last: 9) == 7)
        #expect(TopKey.last.offset(from: 0, page: 5, last: 9) == 9)
        #expect(TopKey.first.offset(from: 5, page: 5, last: 9) == 0)
    }

    @Test func withoutAnEarlierSnapshotThereAreNoRates() throws {
        let lines = TopView(try campaign().decoded(), before: nil).lines(width: 200, colors: false)
        #expect(lines[1] == "120,552 pushes  120,500 accepted  52 rejected" && lines[4].contains("1,000         –  "))
    }

    @Test func anotherProgramAtTheSamePathBeginsAnew() throws {
        var other = try campaign(uptime: 800)
        other.processID = 4_712
        let lines = TopView(try other.decoded(), before: try campaign().decoded()).lines(width: 200, colors: false)
        #expect(lines[1] == "120,552 pushes  120,500 accepted  52 rejected")
    }

    @Test func aConnectionThatHasJustBegunCountsFromZero() throws {
        var later = try campaign(uptime: 756)
        later.add("connection:new#9", try Sample.status("new", counters: ["accepted": 300]))
        let lines = TopView(try later.decoded(), before: try campaign().decoded()).lines(width: 200, colors: false)
        #expect(lines.first { $0.hasPrefix("new") }?.contains("150") == true)
    }

    @Test func whatTheSupervisorDoesIsThePhase() throws {
        var sample = Sample()
        sample.add("connection:a#1", state: "closing", try Sample.status("a"))
        sample.add("connection:b#2", state: "waiting", try Sample.status("b", phase: "down"))
        let lines = TopView(try sample.decoded(), before: nil).lines(width: 80, colors: false)
        #expect(lines[5].hasPrefix("a     closing") && lines[4].hasPrefix("b     waiting"))
    }

    @Test func whatSeveralConnectionsOfAPoolSayIsShownOnce() throws {
        var sample = Sample()
        sample.addPool("pool:bulk#1", try Sample.status("bulk", phase: "down"))
        for member in 1...3 {
            let status = try Sample.status("bulk", phase: "down", Sample.outage("Refused.", attempt: member, in: nil))
            sample.add("pool:bulk/\(member)#\(member + 1)", parent: "pool:bulk#1", member: member, status)
        }
        let lines = TopView(try sample.decoded(), before: nil).lines(width: 80, colors: false)
        #expect(lines.filter { $0.contains("Refused.") } == ["    Attempt 1 is under way. Refused."])
    }

    @Test func aRefusalIsShownForThePoolAndNotForEachConnection() throws {
        var sample = Sample()
        let refused = ["refusal": "APNs says BadCertificate: use another one.", "refusalLayer": "apns"]
        sample.addPool("pool:bulk#1", try Sample.status("bulk", phase: "suspended", refused))
        let status = try Sample.status("bulk", phase: "suspended", refused)
        sample.add("pool:bulk/1#2", parent: "pool:bulk#1", member: 1, status)
        let lines = TopView(try sample.decoded(), before: nil).lines(width: 80, colors: false)
        #expect(lines.filter { $0.contains("BadCertificate") }.count == 1)
    }

    @Test func theTextsOfOthersCannotControlTheTerminal() throws {
        var sample = Sample(program: "a\u{1B}[2Jb")
        sample.add(
            "connection:x#1",
            try Sample.status("x\n\u{1B}]0;title\u{7}y", phase: "down", Sample.outage("one\r\u{1B}[31mtwo")))
        let text = TopView(try sample.decoded(), before: nil).lines(width: 200, colors: false).joined()
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
    }

    @Test func coloursAddNothingToTheWidth() throws {
        let colored = try lines(60, colors: true)
        #expect(colored[4].contains("\u{1B}[32mup\u{1B}[0m") && colored[7].hasPrefix("\u{1B}[31m"))
        let plain = colored.map { line in
            line.replacingOccurrences(of: "\u{1B}\\[[0-9]+m", with: "", options: .regularExpression)
        }
        #expect(plain.allSatisfy { $0.count <= 60 })
        #expect(try lines(60).contains { $0.contains("\u{1B}") } == false)
    }

    @Test func numbersAreShort() {
        #expect([0.04, 12.5, 99.9, 100, 8_119.6].map(TopFigures.rate) == ["0.0", "12.5", "99.9", "100", "8,120"])
        #expect(
            [Duration.microseconds(400), .milliseconds(12), .milliseconds(1_234)].map(TopFigures.roundTrip)
                == ["0.4 ms", "12 ms", "1.2 s"])
        #expect([Double.nan, .infinity, -1].map(TopFigures.rate).allSatisfy { !$0.isEmpty })
    }
}
