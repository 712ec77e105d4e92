import ProcessRuntime
import Testing

@testable import SupervisedPush

@Suite("parity: G4, F4 – dropOldest: a push is let in at the call, and the oldest one that waits goes")
struct WaitingRoomDroppingTests {
    private static let size = MachineSamples.push.notification.payload.count

    @Test func theOldestGoesAtOnceWithOrWithoutAConnection() {
        for free in [[], [0]] {
            var harness = RoomHarness.with(free: free, RoomSettings(maxWaiting: 3))
            for number in UInt64(1)...3 { #expect(harness.drop(for: number) == []) }
            #expect(harness.drop(for: 4) == ["end 1: dropped not_sent"])
            #expect(harness.drop(for: 5) == ["end 2: dropped not_sent"])
            #expect(harness.room.load.waiting == 3)
            if free.isEmpty { _ = harness.room.holders.join() }
            #expect(harness.look(0, free: 5) == ["take 3 4 5"])
        }
    }

    @Test func thousandsMayGoWithoutTheListsGrowing() {
        var harness = RoomHarness(RoomSettings(maxWaiting: 10))
        for number in UInt64(1)...20_000 { _ = harness.drop(for: number) }
        #expect(harness.room.table.count == 10 && harness.room.table.values.count < 20)
        #expect(harness.room.ready.count == 10 && harness.room.deadlines.count < 300)
    }

    @Test func nothingIsDroppedForNothing() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 3))
        for number in UInt64(1)...3 { #expect(harness.drop(for: number) == []) }
        #expect(harness.look(0, free: 1) == ["take 1"])
        #expect(harness.drop(for: 4) == [])
        #expect(harness.drop(for: 5) == ["end 2: dropped not_sent"])
    }

    @Test func onlyAPushThatAsksForItDrops() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 1))
        #expect(harness.drop(for: 1) == [])
        #expect(harness.push(2) == ["2: full, 1 of 1"])
        #expect(harness.offer(harness.record(3), .nobody, .reject) == ["3: full, 1 of 1"])
    }

    @Test func theErrorSaysHowFullItWas() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 1))
        _ = harness.drop(for: 1)
        var load: ConnectionLoad?
        let record = harness.record(2)
        harness.change { room in
            _ = room.offer(record, outcome: .nobody, whenFull: .dropOldest)
            if case .failure(let error) = room.effects.endings.first?.outcome(nil) { load = error.load }
        }
        #expect(load == ConnectionLoad(inFlight: 0, waiting: 1, retrying: 0, limit: 1))
    }

    @Test func asManyGoAsTheBytesTake() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 100, maxWaitingBytes: 3 * Self.size))
        for number in UInt64(1)...3 { _ = harness.drop(for: number) }
        // Larger than any of those that wait.
        let large = PushRecord(
            id: PushID(number: 4),
            push: Push(
                .alert(title: "Flight A998", body: String(repeating: "x", count: Self.size)), to: MachineSamples.token),
            head: MachineSamples.head, times: ServedRoom.times)
        #expect(large.size > Self.size && large.size <= 3 * Self.size)
        let lines = harness.offer(large, .nobody, .dropOldest)
        #expect(lines == (1...(large.size + Self.size - 1) / Self.size).map { "end \($0): dropped not_sent" })
        #expect(harness.room.bytes <= 3 * Self.size)
    }

    @Test func whereTheRuntimeIsFullTheConnectionsOwnOldestGoes() {
        let budget = ByteBudget(limit: 1 << 20)
        let others = budget.reserve(budget.free - 10 * Self.size)
        var harness = RoomHarness(RoomSettings(maxWaiting: 100_000), budget)
        var last = UInt64(1)
        while harness.offer(harness.record(last), .nobody, .reject).isEmpty { last += 1 }
        #expect(harness.drop(for: last + 1) == ["end 1: dropped not_sent"])
        #expect(harness.room.allowance.bytes >= harness.room.bytes && budget.free >= 0)
        budget.giveBack(others)
        harness.change { room in room.endAll(.closed) }
        #expect(budget.free == budget.limit)
    }

    @Test func whatWasWrittenBeforeStays() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 1))
        _ = harness.drop(for: 1)
        _ = harness.look(0, free: 1)
        _ = harness.giveBack(1, as: .unanswered(isRefusal: false))
        #expect(harness.drop(for: 2) == [])
        #expect(harness.drop(for: 3) == ["end 2: dropped not_sent"])
        #expect(harness.look(0, free: 5) == ["take 1 3"])
    }

    @Test func whatWasTakenAndNotWrittenMayGoAgainInItsPlace() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 2))
        _ = harness.drop(for: 1) + harness.drop(for: 2)
        #expect(harness.look(0, free: 1) == ["take 1"])
        #expect(harness.drop(for: 3) == [])
        // Three wait now, and no call let more in than may.
        #expect(harness.giveBackUntouched(1) == [])
        #expect(harness.drop(for: 4) == ["end 1: dropped not_sent"])
    }

    @Test func whoWaitedForRoomStays() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 1))
        let first = harness.record(1)
        _ = harness.offer(first)
        _ = harness.offer(harness.record(2), .thread(BlockedCaller()))
        _ = harness.cancel(first)
        #expect(harness.room.load.waiting == 1)
        #expect(harness.drop(for: 3) == ["3: full, 1 of 1"])
    }

    @Test func whereNothingCanGoThePushIsRefused() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 2))
        var changes = RoomChanges()
        changes.undelivered = 2
        _ = harness.exchange(0, RoomHolders.Readiness(isUp: true), changes)
        #expect(harness.drop(for: 1) == ["1: full, 2 of 2"])
    }

    @Test func aDroppedCompletionCountsUntilItHasReturned() {
        var harness = RoomHarness(RoomSettings(maxWaiting: 1))
        _ = harness.offer(harness.record(1), .completion { _ in })
        #expect(harness.drop(for: 2) == ["end 1: dropped not_sent"])
        #expect(harness.room.load.waiting == 2)
        harness.change { room in room.delivered(1, bytes: Self.size) }
        #expect(harness.room.load.waiting == 1)
    }

    @Test func aDroppedPushCannotBeCancelled() {
        var harness = RoomHarness(RoomSettings(maxWaiting: 1))
        let first = harness.record(1)
        _ = harness.offer(first)
        #expect(harness.drop(for: 2) == ["end 1: dropped not_sent"])
        #expect(harness.cancel(first) == [])
    }

    /// A connection that takes and brings back at any moment, and pushes that come in between.
    @Test func howeverCallersAndConnectionTakeTurnsTheNewestStay() {
        for seed in 0..<200 {
            var random = SeededGenerator(seed: UInt64(seed))
            var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 5))
            var (dropped, number) = (0, UInt64(0))
            while number < 60 {
                if Int.random(in: 0..<4, using: &random) > 0 {
                    number += 1
                    dropped += harness.drop(for: number).count { $0.hasPrefix("end") }
                } else {
                    let count = Int.random(in: 0..<4, using: &random)
                    _ = harness.look(0, free: count)
                    for taken in harness.held.keys.sorted() { _ = harness.giveBackUntouched(taken) }
                }
            }
            #expect(harness.room.load.waiting == 5 && dropped == 55, "seed \(seed)")
            #expect(harness.look(0, free: 9) == ["take 56 57 58 59 60"], "seed \(seed)")
        }
    }
}

extension RoomHarness {
    /// A push is called that older ones go for.
    fileprivate mutating func drop(for number: UInt64) -> [String] { offer(record(number), .nobody, .dropOldest) }
}
