import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

@Suite("parity: F2 – a peer that ends each connection after a few requests")
struct ShortLinkTests {
    /// As a configuration makes them, which limits the first flight.
    private static let asConfigured: ConnectionSettings = {
        var settings = ConnectionSettings()
        settings.firstFlight = 64
        return settings
    }()

    /// How the peer tells what it takes no more.
    enum Manner: CaseIterable {
        /// GOAWAY, then the answers, in one burst.
        case goAwayFirst
        case answersFirst
        /// GOAWAY in a burst of its own, before any answer.
        case apart
    }

    /// A server that takes `share` requests on each connection.
    private struct Server {
        let share: Int
        let manner: Manner
        var harness = MachineHarness.up(ShortLinkTests.asConfigured)
        var written = 0
        var links = 1
        /// What is open on the latest link, in the order of its streams.
        private var open: [(number: UInt64, stream: Int32)] = []
        private var served = 0

        init(share: Int, manner: Manner) {
            (self.share, self.manner) = (share, manner)
        }

        /// Reads what the connection wrote, and follows the links that it dials.
        mutating func read(_ lines: [String]) {
            var lines = lines
            while !lines.isEmpty {
                let line = lines.removeFirst()
                let words = line.split(separator: " ")
                if words[0] == "submit", let number = UInt64(words[1]),
                    let stream = Int32(words[3].split(separator: "/")[1])
                {
                    written += 1
                    open.append((number, stream))
                } else if words[0] == "dial", let link = UInt32(words[1]) {
                    links += 1
                    (open, served) = ([], 0)
                    lines += harness.comeUp(link: link)
                }
            }
        }

        /// Answers what it takes. The rest is refused.
        mutating func answer() {
            let link = MachineHarness.link(UInt32(links))
            let taken = open.prefix(share - served)
            let refused = open.dropFirst(taken.count)
            served += taken.count
            open = []
            let answers = taken.map {
                LinkNews.answered(slot: harness.slots[$0.number] ?? -1, PushResponse(status: 200))
            }
            guard served == share, let last = taken.last?.stream else {
                return read(harness.feed(.burst(link, answers, hasBytes: true)))
            }
            let goAway = [LinkNews.goAway(reason: nil, lastStream: last)]
            let ends = refused.map {
                LinkNews.streamClosed(slot: harness.slots[$0.number] ?? -1, .reset(.refusedStream), .written)
            }
            switch manner {
            case .goAwayFirst: read(harness.feed(.burst(link, goAway + ends + answers, hasBytes: true)))
            case .answersFirst: read(harness.feed(.burst(link, answers + goAway + ends, hasBytes: true)))
            case .apart:
                let lines = harness.feed(.burst(link, goAway + ends, hasBytes: true))
                read(lines + harness.feed(.burst(link, answers, hasBytes: true)))
            }
        }
    }

    @Test(arguments: [1, 5, 20, 40], Manner.allCases)
    func everyPushIsDeliveredWithoutAPause(share: Int, manner: Manner) {
        var server = Server(share: share, manner: manner)
        let records = (1...500).map { server.harness.record($0) }
        server.read(server.harness.offer(records))
        for _ in 0..<2_000 where server.harness.outcomes.count < 500 { server.answer() }
        #expect(server.harness.outcomes.values.allSatisfy { $0 == ["200"] } && server.harness.outcomes.count == 500)
        // The first two links are offered a first flight. After that, next to nothing is written in vain.
        #expect(server.written <= 500 + 2 * (64 + share) + 500 / share)
        if share == 20 { #expect(server.written <= 750) }
        #expect(server.links <= 500 / share + 2)
    }

    @Test func whatALinkHasInFlightDoublesWithEachRoundTrip() {
        var harness = MachineHarness.up(Self.asConfigured)
        _ = harness.offer((1...2_000).map { harness.record($0) })
        var flights: [Int] = []
        while harness.outcomes.count < 2_000 {
            flights.append(harness.machine.inFlight)
            _ = harness.feed(
                .burst(
                    MachineHarness.link(1),
                    harness.slots.values.sorted().map { .answered(slot: $0, PushResponse(status: 200)) }, hasBytes: true
                ))
        }
        #expect(flights == [64, 128, 256, 512, 1_000, 40])
    }

    @Test func aPeerThatIsSlowAndEndsNothingGetsAsMuchAsItsLimitAllows() {
        var harness = MachineHarness.up(Self.asConfigured)
        _ = harness.offer((1...64).map { harness.record($0) })
        _ = harness.advance(by: .seconds(1))
        #expect(harness.offer((65...2_000).map { harness.record($0) }) == [])
        _ = harness.advance(by: .seconds(9))
        #expect(harness.outcomes.count == 64 && harness.machine.inFlight >= 1_000 - 64)
    }

    @Test func aLinkThatTakesMoreThanItsForerunnersIsOfferedMore() {
        var server = Server(share: 5, manner: .answersFirst)
        server.read(server.harness.offer((1...30).map { server.harness.record($0) }))
        server.answer()
        server.answer()
        // 20 are left, and the third link is offered 5.
        #expect(server.harness.machine.inFlight == 5)
        let link = MachineHarness.link(3)
        var lines: [String] = []
        for number in UInt64(11)...15 { lines += server.harness.answer(number, link: 3) }
        #expect(server.harness.machine.current?.id == link)
        #expect(
            lines.filter { $0.hasPrefix("submit") } == [
                "submit 16 on 3/11 again", "submit 17 on 3/13 again", "submit 18 on 3/15 again",
            ])
    }

    @Test func aLinkThatServedLongForgetsThem() {
        var shares = ServedShares()
        shares.linkEnded(served: 5, few: 1_000)
        #expect(shares.offer == nil)
        shares.linkEnded(served: 0, few: 1_000)
        #expect(shares.offer == nil)
        shares.linkEnded(served: 7, few: 1_000)
        #expect(shares.offer?.left == 7)
        shares.linkEnded(served: 1_000, few: 1_000)
        #expect(shares.offer == nil)
    }

    @Test func aPeerThatNeverTakesAPushIsTriedTwentyTimes() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2)
        for link in UInt32(1)...20 {
            _ = harness.goAway(link: link)
            for number in UInt64(1)...2 { _ = harness.close(number, link: link, .refusedStream) }
            _ = harness.advance(by: .seconds(10))
            _ = harness.comeUp(link: link + 1)
        }
        #expect(harness.outcomes.values.allSatisfy { $0.count == 1 })
    }
}
