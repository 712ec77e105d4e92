import Testing

@testable import PushServer

@Suite("What an inbox keeps") struct PushRingTests {
    private func ring(_ count: Int, _ change: (inout InboxLimits) -> Void) -> PushRing {
        var limits = InboxLimits()
        change(&limits)
        var ring = PushRing(limits: limits)
        for number in 0..<count { _ = ring.append(.sample(time: InboxPush.noon + Int64(number) * 1_000)) }
        return ring
    }

    @Test func isTheNewestByCount() {
        let ring = ring(10) { $0.pushes = 3 }
        #expect(ring.after(-1).map(\.number) == [8, 9, 10])
        #expect(ring.evicted == 7 && ring.next == 11)
        #expect(ring.bytes == ring.after(-1).reduce(0) { $0 + $1.keptBytes })
    }

    @Test func isTheNewestByBytes() {
        let one = InboxPush.sample().keptBytes
        let ring = ring(10) { $0.bytes = 2 * one + one / 2 }
        #expect(ring.after(-1).map(\.number) == [9, 10] && ring.bytes == 2 * one)
    }

    @Test func isAtLeastTheNewest() {
        #expect(ring(3) { $0.bytes = 1 }.after(-1).map(\.number) == [3])
        #expect(ring(3) { $0.pushes = 0 }.after(-1).map(\.number) == [3])
    }

    @Test func isNoOlderThanItsAge() {
        var ring = ring(10) { $0.age = .seconds(4) }
        ring.expire(now: InboxPush.noon + 9_000)
        #expect(ring.after(-1).map(\.number) == [6, 7, 8, 9, 10])
        ring.expire(now: InboxPush.noon + 60_000)
        #expect(ring.after(-1).isEmpty && ring.bytes == 0 && ring.evicted == 10)
    }

    @Test func hasNoAgeThatIsTooLong() {
        var ring = ring(2) { $0.age = .seconds(Int64.max) }
        ring.expire(now: InboxPush.noon)
        #expect(ring.after(-1).count == 2)
    }

    @Test func isFoundByNumberAlsoAfterARemoval() {
        var ring = ring(10) { _ in }
        let removed = ring.removeAll { $0.number.isMultiple(of: 2) }
        #expect(removed == 5)
        #expect(ring.push(numbered: 7)?.number == 7 && ring.push(numbered: 8) == nil && ring.push(numbered: 0) == nil)
        #expect(ring.after(4).map(\.number) == [5, 7, 9] && ring.after(4, limit: 2).map(\.number) == [5, 7])
        #expect(ring.after(9).isEmpty && ring.after(-1).map(\.number) == [1, 3, 5, 7, 9])
        #expect(ring.bytes == ring.after(-1).reduce(0) { $0 + $1.keptBytes } && ring.evicted == 0)
    }
}
