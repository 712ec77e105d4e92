import ProcessRuntime
import PushLocking
import Testing

@testable import SupervisedPush

@Suite("parity: E21, F4 – a push that waits can be cancelled, expires, and ends with its name") struct WaitingRoomTests
{
    @Test func aPushCancelledBeforeItIsOfferedIsRefused() {
        var harness = RoomHarness.with(free: [1])
        let record = harness.record(1)
        #expect(harness.cancel(record) == [])
        #expect(harness.offer(record) == ["1: withdrawn"])
        #expect(harness.room.isDone)
    }

    @Test func aCancelledPushEndsOnceAndIsNotTaken() {
        var harness = RoomHarness.with(free: [0])
        let records = (UInt64(1)...3).map { harness.record($0) }
        for record in records { _ = harness.offer(record) }
        #expect(harness.cancel(records[1]) == ["end 2: cancelled not_sent"])
        #expect(harness.cancel(records[1]) == [])
        #expect(harness.look(0, free: 5) == ["take 1 3"])
    }

    @Test func whoHasACancelledPushIsTold() {
        var harness = RoomHarness.with(free: [0, 1])
        let record = harness.record(1)
        _ = harness.offer(record)
        #expect(harness.look(1, free: 1) == ["take 1"])
        #expect(harness.cancel(record) == ["tell 1"])
    }

    @Test func aCancelledPushIsNotPassedOnToASuccessor() {
        var harness = RoomHarness.with(free: [2])
        let (first, second, third) = (harness.record(1), harness.record(2), harness.record(3))
        for record in [first, second, third] { _ = harness.offer(record) }
        #expect(harness.look(0, free: 2) == ["take 1 2"])
        // The process hears of neither: it fails first.
        #expect(harness.cancel(first) == ["tell 0"])
        #expect(harness.cancel(third) == ["end 3: cancelled not_sent"])
        #expect(
            harness.leave(0, harness.changes(returning: [1, 2], .unanswered(isRefusal: false))) == [
                "end 1: cancelled not_sent"
            ])
        #expect(harness.look(harness.room.holders.join(), free: 5) == ["take 2"])
    }

    @Test func withoutAnyConnectionTimeIsKept() {
        var harness = RoomHarness()
        _ = harness.push(1, timeout: .seconds(1)) + harness.push(2, timeout: .seconds(3))
        #expect(harness.room.nextWake == harness.now.advanced(by: .seconds(1)))
        #expect(harness.advance(by: .milliseconds(999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["end 1: timed_out not_sent"])
        #expect(harness.room.nextWake == harness.now.advanced(by: .seconds(2)))
        #expect(harness.room.load.waiting == 1)
        #expect(harness.look(harness.room.holders.join(), free: 5) == ["take 2"])
    }

    @Test func aPushIsNotTakenAfterItsTimeAlsoBeforeAnyTick() {
        var harness = RoomHarness.with(free: [0])
        _ = harness.push(1, timeout: .seconds(1)) + harness.push(2)
        harness.now = harness.now.advanced(by: .seconds(1))
        #expect(harness.look(0, free: 5) == ["take 2", "end 1: timed_out not_sent"])
    }

    @Test func aPushThatWaitsForRoomExpiresToo() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 1))
        _ = harness.push(1)
        _ = harness.offer(harness.record(2, timeout: .seconds(1)), .thread(BlockedCaller()))
        #expect(harness.advance(by: .seconds(1)) == ["end 2: timed_out not_sent"])
        #expect(harness.room.parked.isEmpty)
    }

    @Test func thousandsMayEndWithoutTheListsGrowing() {
        var harness = RoomHarness.with(free: [0])
        for number in UInt64(1)...20_000 {
            let record = harness.record(number)
            _ = harness.offer(record)
            _ = harness.cancel(record)
        }
        #expect(harness.room.isDone && harness.room.ready.isEmpty && harness.room.droppable.isEmpty)
        #expect(harness.room.deadlines.count < 300 && harness.room.table.values.count < 10)
    }

    @Test func aClosedRoomRefusesAndEndsWhatIsLeft() {
        let room = ServedRoom()
        #expect(throws: Never.self) { try room.offer() }
        room.room.end(.closed)
        #expect(throws: ServedRoom.Refused(refusal: .closed)) { try room.offer() }
        #expect(room.endings.map(\.outcome) == ["closed not_sent"])
        #expect(room.room.read { $0.isClosed } && room.room.load.waiting == 0)
    }

    @Test func aNameIsNotIdleWhilePushesAreHeldOrWaitToBeSentAgain() {
        var harness = RoomHarness.with(free: [1])
        let isIdle = Locked(false)
        _ = harness.push(1)
        _ = harness.look(0, free: 1)
        harness.change { room in
            room.watchers.idle.append((room.watchers.newID(), { isIdle.withLock { $0 = true } }))
        }
        #expect(!isIdle.withLock { $0 })
        // Its process fails, and the successor takes what it left.
        _ = harness.leave(0, harness.changes(returning: [1], .unanswered(isRefusal: false)))
        #expect(
            !isIdle.withLock { $0 }
                && harness.room.load == ConnectionLoad(inFlight: 0, waiting: 0, retrying: 1, limit: 10_000))
        #expect(harness.look(harness.room.holders.join(), free: 1) == ["take 1"])
        #expect(!isIdle.withLock { $0 })
        _ = harness.exchange(0, RoomHolders.Readiness(isUp: true), ended: [1])
        #expect(isIdle.withLock { $0 })
    }

    @Test("parity: E9 – every push has an id of its own") func idsAreUnique() {
        var identities = PushIdentities()
        var ids = Set<APNSID>()
        var numbers: [PushID] = []
        for _ in 0..<5_000 {
            let identity = identities.next(
                for: MachineSamples.push.notification, callersID: nil, policy: PushPolicy(),
                defaults: RequestDefaults(), isUsual: true)
            if let id = identity.apnsID { ids.insert(id) }
            numbers.append(identity.id)
        }
        #expect(ids.count == 5_000)
        #expect(numbers == numbers.sorted() && Set(numbers).count == 5_000)
    }
}
