import Testing

@testable import SupervisedPush

@Suite("parity: E21, F4 – the bound is checked at the call, and says how full it is") struct WaitingRoomBoundsTests {
    private static let size = MachineSamples.push.notification.payload.count

    @Test func whatDoesNotFitIsRefusedAtTheCall() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 2))
        #expect(harness.push(1, 2) == [])
        #expect(harness.push(3) == ["3: full, 2 of 2"])
        #expect(harness.look(0, free: 5) == ["take 1 2"])
    }

    @Test func bytesAreBoundedToo() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 100, maxWaitingBytes: 3 * Self.size))
        #expect(harness.push(1, 2, 3) == [])
        #expect(harness.room.waitingBytes == 3 * Self.size)
        #expect(harness.push(4) == ["4: full, 3 of 100"])
    }

    @Test func theRuntimesBytesAreBoundedToo() {
        let budget = ByteBudget(limit: 1 << 20)
        let taken = budget.reserve(budget.free - Self.size)
        var harness = RoomHarness(RoomSettings(), budget)
        #expect(harness.push(1) == [])
        #expect(harness.push(2) == ["2: full, 1 of 10000, the runtime"])
        budget.giveBack(taken)
        #expect(harness.push(3) == [])
    }

    @Test func whatWasTakenCountsNoMore() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 1))
        _ = harness.push(1)
        #expect(harness.look(0, free: 1) == ["take 1"])
        #expect(harness.room.load == ConnectionLoad(inFlight: 1, waiting: 0, retrying: 0, limit: 1))
        #expect(harness.room.waitingBytes == 0)
        #expect(harness.push(2) == [])
        #expect(harness.exchange(0, RoomHolders.Readiness(isUp: true), ended: [1]) == [])
        #expect(harness.room.load == ConnectionLoad(inFlight: 0, waiting: 1, retrying: 0, limit: 1))
    }

    @Test func thePoolsBoundsAreThoseOfAllMembersTogether() {
        var harness = RoomHarness.with(free: [0, 0], RoomSettings(maxWaiting: 2, maxWaitingBytes: 3 * Self.size))
        harness.change { room in room.members = 2 }
        #expect(harness.push(1, 2, 3, 4) == [])
        #expect(harness.push(5) == ["5: full, 4 of 4"])
        // Fewer members: what waits stays.
        harness.change { room in room.members = 1 }
        #expect(harness.room.load == ConnectionLoad(inFlight: 0, waiting: 4, retrying: 0, limit: 2))
        #expect(harness.push(6) == ["6: full, 4 of 2"])
        #expect(harness.look(0, free: 3) == ["take 1 2 3"])
        #expect(harness.push(7) == [])
    }

    // MARK: Callers that wait for room

    private func admission(_ record: PushRecord, _ harness: RoomHarness) -> WaitingPush.Admission? {
        harness.room.table[record.roomSlot]?.admission
    }

    @Test func callersWaitForRoomFirstComeFirstServedUpToTheirBound() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 1, maxParked: 2))
        let records = (UInt64(1)...4).map { harness.record($0) }
        _ = harness.offer(records[0])
        for record in records[1...2] { #expect(harness.offer(record, .thread(BlockedCaller())) == []) }
        #expect(records[1...2].map { admission($0, harness) } == [.parked, .parked])
        #expect(harness.room.load.waiting == 1)
        #expect(harness.offer(records[3], .thread(BlockedCaller())) == ["4: full, 1 of 1"])
        #expect(harness.cancel(records[0]) == ["end 1: cancelled not_sent"])
        #expect(records[1...2].map { admission($0, harness) } == [.counted, .parked])
        // A form that cannot wait does not pass those that do.
        #expect(harness.cancel(records[1]).count == 1 && admission(records[2], harness) == .counted)
        #expect(harness.push(5) == ["5: full, 1 of 1"])
    }

    @Test func aFormThatCannotWaitDoesNotPassThoseThatDo() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 10, maxWaitingBytes: Self.size))
        _ = harness.push(1)
        #expect(harness.offer(harness.record(2), .thread(BlockedCaller())) == [])
        harness.change { room in room.delivered(0, bytes: 0) }
        #expect(harness.push(3) == ["3: full, 1 of 10"])
        #expect(harness.look(0, free: 5) == ["take 1 2"])
    }

    @Test func aConnectionTakesPushesWhoseCallersStillWaitForRoom() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 1))
        _ = harness.push(1)
        for number in UInt64(2)...4 { _ = harness.offer(harness.record(number), .thread(BlockedCaller())) }
        #expect(harness.look(0, free: 3) == ["take 1 2 3"])
        #expect(
            harness.room.parked.isEmpty
                && harness.room.load == ConnectionLoad(inFlight: 3, waiting: 1, retrying: 0, limit: 1))
    }

    @Test func aCallerThatGivesUpFreesItsPlaceInTheLine() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 1, maxParked: 2))
        let records = (UInt64(1)...4).map { harness.record($0) }
        _ = harness.offer(records[0])
        for record in records[1...2] { _ = harness.offer(record, .thread(BlockedCaller())) }
        #expect(harness.cancel(records[1]) == ["end 2: cancelled not_sent"])
        #expect(harness.offer(records[3], .thread(BlockedCaller())) == [])
        _ = harness.cancel(records[0])
        #expect(records[2...3].map { admission($0, harness) } == [.counted, .parked])
    }

    @Test func aCollectorHasABoundOfItsOwnAndWaitsHoweverManyOthersDo() {
        final class Nobody: OutcomeCollector {
            func collect(_ settled: [SettledPush]) {}
            func collect(late: [LatePush]) {}
        }
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 1, maxParked: 2))
        let first = harness.record(1)
        _ = harness.offer(first)
        for number in UInt64(2)...3 { _ = harness.offer(harness.record(number), .thread(BlockedCaller())) }
        #expect(harness.offer(harness.record(4), .thread(BlockedCaller())) == ["4: full, 1 of 1"])
        let own = harness.record(5)
        #expect(harness.offer(own, .collector(Nobody(), ticket: 0)) == [])
        _ = harness.cancel(first)
        #expect(admission(own, harness) == .parked && own.wasParked && harness.room.load.waiting == 1)
    }

    @Test func whoWaitsForTheRuntimesBytesIsCalledOnce() {
        let budget = ByteBudget(limit: 1 << 20)
        let taken = budget.reserve(budget.free)
        let room = ServedRoom(RoomSettings(), budget)
        let parked = room.record()
        #expect(room.room.offer(parked, outcome: .thread(BlockedCaller()), whenFull: .wait) == nil)
        #expect(room.room.read { $0.parked.count } == 1)
        budget.giveBack(taken)
        #expect(room.room.read { $0.parked.count } == 0 && room.room.load.waiting == 1)
    }

    // MARK: Outcomes nobody has taken

    @Test func outcomesThatNobodyHasTakenCount() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 2))
        var changes = RoomChanges()
        changes.undelivered = 2
        changes.undeliveredBytes = 2 * Self.size
        _ = harness.exchange(0, RoomHolders.Readiness(isUp: true), changes)
        #expect(harness.push(1) == ["1: full, 2 of 2"])
        harness.change { room in room.delivered(1, bytes: Self.size) }
        #expect(harness.push(2) == [])
        #expect(harness.room.bytes == 2 * Self.size)
    }

    @Test func aPushWithACompletionThatEndsInTheRoomCountsUntilThatReturns() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 1))
        let record = harness.record(1)
        _ = harness.offer(record, .completion { _ in })
        #expect(harness.cancel(record) == ["end 1: cancelled not_sent"])
        #expect(harness.push(2) == ["2: full, 1 of 1"])
        harness.change { room in room.delivered(1, bytes: Self.size) }
        #expect(harness.push(3) == [])
    }
}
