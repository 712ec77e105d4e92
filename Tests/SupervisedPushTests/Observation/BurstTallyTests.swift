import Foundation
import ProcessRuntime
import PushHTTP2
import Testing

@testable import SupervisedPush

struct BurstTallyTests {
    private let harness = MachineHarness()

    @Test func aBurstIsCountedByOutcomeAndByLink() {
        var tally = BurstTally()
        let (first, second) = (LinkID(number: 1), LinkID(number: 2))
        tally.wrote(1, on: first, again: false)
        tally.wrote(1, on: second, again: true)
        tally.answered(200, on: second)
        tally.answered(410, on: first)
        tally.reset(Resets(.refusedStream, stream: 5, isOurs: false), on: first)
        tally.reset(Resets(.cancel, stream: 7, isOurs: true), on: first)
        let now = harness.now.advanced(by: .seconds(3))
        tally.ended(harness.record(1), with: .success(PushResponse(status: 200)), now)
        tally.ended(harness.record(2), with: .success(PushResponse(status: 410)), now)
        tally.ended(harness.record(3), with: .failure(.closed(nil)), now)
        #expect(tally.sample == .seconds(3))

        var expected = ConnectionCounters()
        expected.accepted = 1
        expected.rejected = 1
        expected.rejections = ["none": 1]
        expected.rejectionsByStatus = [410: 1]
        expected.notSent = 1
        expected.resent = 1
        expected.resets = 1
        #expect(tally.counters == expected && tally.counters.ended == 3)

        var ring = FlightRing(limit: 8)
        tally.moveFrames(to: &ring, now)
        #expect(ring.all.map(\.link) == [2, 1, 1, 1])
        #expect(!tally.hasFrames)
        tally.removeCounts()
        #expect(tally.counters == ConnectionCounters() && tally.sample == nil)
    }

    @Test func theSampleBeginsWhereTheTimeoutDoes() {
        let (written, now) = (harness.now.advanced(by: .seconds(1)), harness.now.advanced(by: .seconds(3)))
        var tally = BurstTally()
        tally.sampleAnswer(to: harness.record(1), writtenAt: written, now)
        #expect(tally.sample == nil, "its timeout counts from the call, and so will the sample")
        let times = PushTimes(timeout: .seconds(10), timeoutFromCall: nil, deadline: nil, expiration: nil)
        tally.sampleAnswer(to: harness.record(2, times), writtenAt: written, now)
        tally.sampleAnswer(to: harness.record(3, times), writtenAt: now, now)
        #expect(tally.sample == .seconds(2))
    }

    @Test func linksThatTakeTurnsHaveOneEntryEach() {
        var tally = BurstTally()
        for stream in stride(from: Int32(1), to: 200, by: 2) {
            tally.answered(200, on: LinkID(number: 1))
            tally.wrote(stream, on: LinkID(number: 2), again: false)
        }
        var ring = FlightRing(limit: 8)
        tally.moveFrames(to: &ring, harness.now)
        #expect(ring.all.map(\.link) == [1, 2])
        #expect(ring.all.map(\.event.detail) == ["200=100", "written=100 streams=1-199"])
    }

    @Test func countersAddUpFieldByField() throws {
        // Through their coded form, so that a field that is added later cannot be forgotten here.
        let names = try coded(ConnectionCounters()).keys
        #expect(names.count == 22)
        var rejections = ConnectionCounters()
        rejections.rejections = ["Unregistered": 2]
        rejections.rejectionsByStatus = [410: 2]
        rejections.add(rejections)
        #expect(rejections.rejections == ["Unregistered": 4] && rejections.rejectionsByStatus == [410: 4])
        for name in names {
            var values = try coded(ConnectionCounters())
            values[name] = 3
            var sum = try decoded(values)
            sum.add(try decoded(values))
            #expect(try coded(sum)[name] == 6, "\(name)")
            #expect(try coded(sum).values.reduce(0, +) == 6)
        }
    }

    private func coded(_ counters: ConnectionCounters) throws -> [String: Int] {
        let all = try JSONDecoder().decode([String: Count].self, from: JSONEncoder().encode(counters))
        return all.compactMapValues(\.number)
    }

    private func decoded(_ values: [String: Int]) throws -> ConnectionCounters {
        var all = values.mapValues(Count.number)
        all["rejections"] = .byReason([:])
        all["rejectionsByStatus"] = .byReason([:])
        return try JSONDecoder().decode(ConnectionCounters.self, from: JSONEncoder().encode(all))
    }
}

/// A count in the coded form of counters: a number, or numbers by reason.
private enum Count: Codable {
    case number(Int)
    case byReason([String: Int])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        self =
            if let number = try? value.decode(Int.self) { .number(number) } else {
                .byReason(try value.decode([String: Int].self))
            }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .number(let number): try value.encode(number)
        case .byReason(let counts): try value.encode(counts)
        }
    }

    var number: Int? { if case .number(let number) = self { number } else { nil } }
}
