import FoundationEssentials
import ProcessRuntime
import PushHTTP2
import Testing

@testable import SupervisedPush

@Suite("parity: F13 – the flight recorder: bounded, and what matters outlives what is many")
struct FlightRingTests {
    private func instant(_ milliseconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    private func lines(_ ring: FlightRing) -> [String] {
        ring.all.map { "\($0.link) \($0.event.name) \($0.event.detail)" }
    }

    private func traffic(_ streams: [Int32], statuses: [Int] = []) -> FlightEvent {
        var traffic = Traffic()
        for stream in streams { traffic.wrote(stream) }
        for status in statuses { traffic.answered(status: status) }
        return .traffic(traffic)
    }

    @Test func theOldestEntryMakesRoomForTheNewest() {
        var ring = FlightRing(limit: 3)
        for number in 1...5 { ring.add(.up(generation: Int32(number)), link: 0, at: instant(number)) }
        #expect(lines(ring) == ["0 up generation=3", "0 up generation=4", "0 up generation=5"])
        #expect(ring.overwritten == 2)
    }

    @Test func aRingOfNoEntriesKeepsNothing() {
        var ring = FlightRing(limit: 0)
        ring.add(.pong, link: 1, at: instant(0))
        ring.add(traffic([1]), link: 1, at: instant(0))
        #expect(ring.all.isEmpty && ring.overwritten == 0)
    }

    @Test func trafficOfOneLinkSharesAnEntryForASecond() {
        var ring = FlightRing(limit: 8)
        ring.add(traffic([1, 3]), link: 1, at: instant(0))
        ring.add(traffic([5, 7], statuses: [200, 410, 410]), link: 1, at: instant(900))
        ring.add(traffic([9]), link: 1, at: instant(1_000))
        ring.add(traffic([1]), link: 2, at: instant(1_001))
        #expect(
            lines(ring) == [
                "1 traffic written=4 streams=1-7 200=1 410=2", "1 traffic written=1 streams=9-9",
                "2 traffic written=1 streams=1-1",
            ])
    }

    @Test func sumsGoOnInAFullRing() {
        var ring = FlightRing(limit: 2)
        for number in 1...4 { ring.add(.up(generation: Int32(number)), link: 0, at: instant(0)) }
        ring.add(traffic([1]), link: 1, at: instant(0))
        ring.add(traffic([3]), link: 1, at: instant(1))
        #expect(lines(ring) == ["0 up generation=4", "1 traffic written=2 streams=1-3"])
    }

    @Test func anHourOfTrafficLeavesRoomForFramesThatMatter() {
        var ring = FlightRing(limit: 256)
        ring.add(.goAway(lastStream: 101, code: 0, reason: nil), link: 1, at: instant(0))
        // A burst each millisecond, for four minutes.
        for number in 1...240_000 { ring.add(traffic([1], statuses: [200]), link: 2, at: instant(number)) }
        #expect(lines(ring).first == "1 goaway last_stream=101 code=NO_ERROR reason=none")
        #expect(ring.all.count <= 256)
    }

    @Test func aRejectionCountStaysAtItsHighest() {
        var traffic = Traffic()
        for _ in 0..<70_000 { traffic.answered(status: 429) }
        for status in [403, 410, 400, 503, 200] { traffic.answered(status: status) }
        #expect(traffic.detail == "200=1 403=1 410=1 429=65535 other_4xx=1 5xx=1")
        var sum = traffic
        sum.merge(traffic)
        #expect(sum.throttled == 65_535 && sum.accepted == 2)
    }

    @Test func theRangeOfResetsGoesFromTheLowestToTheHighest() {
        var ring = FlightRing(limit: 8)
        for stream: Int32 in [1715, 1027, 1401] {
            ring.add(.resets(Resets(.cancel, stream: stream, isOurs: true)), link: 1, at: instant(5))
        }
        #expect(lines(ring) == ["1 reset_sent code=CANCEL streams=1027-1715 count=3"])
    }

    @Test func resetsOfOneKindShareAnEntry() {
        var ring = FlightRing(limit: 8)
        for stream in stride(from: Int32(1), through: 99, by: 2) {
            ring.add(.resets(Resets(.refusedStream, stream: stream, isOurs: false)), link: 1, at: instant(5))
        }
        ring.add(.resets(Resets(.cancel, stream: 101, isOurs: true)), link: 1, at: instant(5))
        #expect(
            lines(ring) == [
                "1 reset_received code=REFUSED_STREAM streams=1-99 count=50", "1 reset_sent code=CANCEL stream=101",
            ])
    }

    @Test func aRecordKnowsTheProcessOfEachEntryAlsoOfOverwrittenBeginnings() {
        var ring = FlightRing(limit: 3)
        ring.add(.processBegan(ProcessID(7)), link: 0, at: instant(0))
        ring.add(.dialing, link: 1, at: instant(1))
        ring.add(.processEnded(.failure), link: 0, at: instant(2))
        ring.add(.processBegan(ProcessID(8)), link: 0, at: instant(3))
        let record = FlightRecord(ring, name: "orders", now: instant(1_003), takenAt: Date(unixMilliseconds: 10_000))
        #expect(record.entries.map(\.pid) == [ProcessID(7), ProcessID(7), ProcessID(8)])
        #expect(
            record.description == """
                flight record of "orders", 1 older entries overwritten
                1970-01-01T00:00:08.998Z <7> link 1 dialing
                1970-01-01T00:00:08.999Z <7> process_ended reason=failure
                1970-01-01T00:00:09.000Z <8> process_began pid=<8>
                """)
    }

    @Test func aRecordBeginsInTheMillisecondInWhichTheClockStood() {
        let time = ManualTime()
        var ring = FlightRing(limit: 3)
        ring.add(.dialing, link: 1, at: time.now)
        time.advance(by: .nanoseconds(962_375_797))
        ring.add(.ping, link: 1, at: time.now)
        let record = FlightRecord(ring, name: nil, now: time.now, takenAt: Date(time))
        #expect(record.entries.map(\.time.timestamp) == ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.962Z"])
    }

    @Test func aTimeHasTwoDigitsInALog() {
        let times: [Duration] = [.nanoseconds(962_375_797), .seconds(1), .milliseconds(2_996), .seconds(900)]
        #expect(times.map(\.logged) == ["0.96 s", "1.0 s", "3.0 s", "900.0 s"])
    }

    @Test func anEntryIsSmall() { #expect(MemoryLayout<FlightEntry>.stride <= 56) }

    @Test(arguments: [
        ("Shutdown", "Shutdown"), ("ENHANCE_YOUR_CALM", "ENHANCE_YOUR_CALM"), ("<script>", "other"),
        (String(repeating: "ab", count: 32), "other"), ("abcd0123", "other"),
    ])
    func onlyAWordIsKeptOfAReason(_ reason: String, _ kept: String) { #expect(GoAwayReason.word(reason) == kept) }
}
