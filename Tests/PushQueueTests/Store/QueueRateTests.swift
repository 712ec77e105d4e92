import Foundation
import PushQueue
import Testing

@Suite struct QueueRateTests {
    @Test(arguments: [
        (Double.nan, 0.001, 1), (-.infinity, 0.001, 1), (-5, 0.001, 1), (0, 0.001, 1), (2.5, 2.5, 3),
        (.infinity, 10_000_000, 1_000_000), (1e9, 10_000_000, 1_000_000),
    ])
    func aRateOutOfItsRangeIsMovedToTheNearerEnd(_ perSecond: Double, _ valid: Double, _ burst: Int) {
        let rate = QueueRate(perSecond: perSecond)
        #expect(rate.perSecond == valid && rate.burst == burst)
        #expect(QueueRate(perSecond: perSecond, burst: -1).burst == 1)
    }

    private static let second: Int64 = 1_000_000_000

    @Test func anEntryIsChargedAsAWholeAndTheNextOneWaitsForItsTokens() {
        let rate = QueueRate(perSecond: 2, burst: 4)
        var (stored, now) = (Int64(0), 1_800_000_000 * Self.second)
        #expect(rate.wait(stored: stored, now: now) == 0)
        rate.charge(3, stored: &stored, now: now)
        #expect(rate.wait(stored: stored, now: now) == 0)
        rate.charge(10, stored: &stored, now: now)
        // Thirteen of four are charged: the nine and the next one take five seconds.
        #expect(rate.wait(stored: stored, now: now) == 5 * Self.second)
        now += 5 * Self.second - 1_000_000
        #expect(rate.wait(stored: stored, now: now) == 1_000_000)
        now += 1_000_000
        #expect(rate.wait(stored: stored, now: now) == 0)
        rate.charge(0, stored: &stored, now: now)
        #expect(rate.wait(stored: stored, now: now) == 0)
        rate.charge(1, stored: &stored, now: now)
        #expect(rate.wait(stored: stored, now: now) == Self.second / 2)
    }

    @Test func whoWaitsIsWokenForAQuarterOfTheBurst() {
        let rate = QueueRate(perSecond: 1_000, burst: 1_000)
        let now = 1_800_000_000 * Self.second
        var stored = Int64(0)
        rate.charge(1_000, stored: &stored, now: now)
        #expect(rate.wait(stored: stored, now: now) == Self.second / 4)
        // Who asks earlier is given what is permitted.
        #expect(rate.wait(stored: stored, now: now + Self.second / 1_000) == 0)
    }

    @Test(arguments: [(1.0, 1), (7, 3), (1_000, 1_000), (10_000_000, 1_000_000), (0.001, 1)])
    func theAverageIsKeptWhateverTheSizesOfEntries(_ perSecond: Double, _ burst: Int) {
        let rate = QueueRate(perSecond: perSecond, burst: burst)
        let begin = 1_800_000_000 * Self.second
        var (stored, now, taken, largest) = (Int64(0), begin, 0, 0)
        for step in 0..<2_000 {
            let tokens = 1 + step * 7919 % 1_000
            now += rate.wait(stored: stored, now: now)
            rate.charge(tokens, stored: &stored, now: now)
            (taken, largest) = (taken + tokens, max(largest, tokens))
            let permitted = Double(now - begin) / 1e9 * perSecond + Double(burst)
            #expect(Double(taken) <= permitted * (1 + 1e-6) + Double(largest))
        }
        #expect(Double(taken) >= (Double(now - begin) / 1e9 * perSecond) * (1 - 1e-6))
    }

    @Test func anInstantThatLiesTooFarAheadCountsAsTheBurstAndTheLargestEntry() {
        let rate = QueueRate(perSecond: 10, burst: 10)
        let now = 1_800_000_000 * Self.second
        let far = now + 1_000_000 * Self.second
        #expect(rate.bounded(far, now: now) == now + 101 * Self.second)
        #expect(rate.bounded(far, isNew: true, now: now) == now + Self.second)
        #expect(rate.bounded(now + 1, now: now) == now + 1 && rate.bounded(0, isNew: true, now: now) == 0)
        #expect(rate.wait(stored: far, now: now) == 100 * Self.second + Self.second / 5)
    }

    @Test func aRateIsReadAsItWasWrittenAndWithinItsRange() throws {
        let rate = QueueRate(perSecond: 0.5, burst: 7)
        #expect(try JSONDecoder().decode(QueueRate.self, from: JSONEncoder().encode(rate)) == rate)
        let wrong = Data(#"{"perSecond":-1,"burst":0}"#.utf8)
        #expect(try JSONDecoder().decode(QueueRate.self, from: wrong) == QueueRate(perSecond: 0.001, burst: 1))
    }
}
