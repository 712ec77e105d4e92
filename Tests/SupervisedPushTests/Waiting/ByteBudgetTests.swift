import PushLocking
import Testing

@testable import SupervisedPush

@Suite("parity: F4 – one byte budget for all connections of a runtime")
struct ByteBudgetTests {
    @Test func aChunkIsGrantedWhereThereIsOneAndElseWhatIsNeeded() {
        let budget = ByteBudget(limit: 1 << 20)
        #expect(budget.chunk == 1_024)
        #expect(budget.reserve(100) == 1_024)
        #expect(budget.reserve((1 << 20) - 1_124) == (1 << 20) - 1_124)
        #expect(budget.reserve(100) == 100)
        #expect(budget.reserve(1) == 0)
        #expect(budget.free == 0)
    }

    @Test func whoWaitsIsCalledInOrderOnceThereIsEnough() {
        let budget = ByteBudget(limit: 1 << 20)
        _ = budget.reserve(1 << 20)
        let calls = Locked<[Int]>([])
        #expect(budget.reserve(1_000, orCall: { calls.withLock { $0.append(1) } }) == 0)
        #expect(budget.reserve(10, orCall: { calls.withLock { $0.append(2) } }) == 0)
        budget.giveBack(500)
        // Small needs do not starve a large one that came before.
        #expect(calls.withLock { $0 }.isEmpty)
        budget.giveBack(600)
        #expect(calls.withLock { $0 } == [1, 2])
    }

    @Test func connectionsShareItAndAnIdleOneHoldsNothing() throws {
        let budget = ByteBudget(limit: 1 << 20)
        let rooms = (0..<10).map { _ in ServedRoom(RoomSettings(maxWaiting: 100_000), budget) }
        var bytes = 0
        var counts = Array(repeating: 0, count: 10)
        var refusal: WaitingRoom.Refusal?
        filling: while true {
            for (index, room) in rooms.enumerated() {
                do throws(ServedRoom.Refused) {
                    bytes += try room.offer().size
                    counts[index] += 1
                } catch {
                    refusal = error.refusal
                    break filling
                }
            }
        }
        guard case .full(_, isBudget: true) = refusal else { return #expect(Bool(false), "\(refusal as Any)") }
        // All of it is used, but for what the rooms hold in reserve.
        #expect(bytes > (1 << 20) - 10 * 2 * budget.chunk && bytes <= 1 << 20)
        for room in rooms { room.take(.max) }
        #expect(budget.free >= (1 << 20) - 10 * budget.chunk)
        for (index, room) in rooms.enumerated() { room.end(counts[index]) }
        #expect(budget.free == 1 << 20)
    }

    @Test func aReleasedRoomGivesItsPartBack() throws {
        let budget = ByteBudget(limit: 1 << 20)
        do {
            let room = ServedRoom(RoomSettings(), budget)
            try room.offer()
            #expect(budget.free < 1 << 20)
        }
        #expect(budget.free == 1 << 20)
    }

    @Test func aParkedCallerOfOneConnectionIsLetInByAnother() throws {
        let budget = ByteBudget(limit: 1 << 20)
        let greedy = ServedRoom(RoomSettings(maxWaiting: 100_000), budget)
        let modest = ServedRoom(RoomSettings(), budget)
        while (try? greedy.offer()) != nil {}
        let parked = try modest.offer(.thread(BlockedCaller()))
        #expect(parked.wasParked && modest.room.load.waiting == 0)
        let told = Locked(false)
        modest.room.whenRoom { _ in told.withLock { $0 = true } }
        greedy.take(1_000)
        #expect(modest.room.load.waiting == 1)
        #expect(told.withLock { $0 })
    }

    @Test func answersCountUntilTheirCompletionHasReturnedWhetherOrNotTheyFit() throws {
        let budget = ByteBudget(limit: 1 << 20)
        let room = ServedRoom(RoomSettings(), budget)
        room.end(0, undelivered: 1, bytes: 2 << 20)
        #expect(budget.free < 0)
        #expect(throws: ServedRoom.Refused.self) { try room.offer() }
        room.room.deliver(1, bytes: 2 << 20) {}
        #expect(budget.free == 1 << 20)
    }
}
