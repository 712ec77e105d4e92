import ProcessRuntime
import Testing

@testable import SupervisedPush

/// A full room refuses a push before it is made.
struct FullRoomTests {
    private func full() throws -> ServedRoom {
        var settings = RoomSettings()
        settings.maxWaiting = 2
        let served = ServedRoom(settings)
        try served.offer()
        #expect(served.room.loadIfFull == nil)
        try served.offer()
        return served
    }

    @Test func aRoomIsFullUntilAPushIsTaken() throws {
        let served = try full()
        #expect(served.room.loadIfFull == ConnectionLoad(inFlight: 0, waiting: 2, retrying: 0, limit: 2))
        served.take(1)
        #expect(served.room.loadIfFull == nil)
        try served.offer()
        #expect(served.room.loadIfFull == ConnectionLoad(inFlight: 1, waiting: 2, retrying: 0, limit: 2))
        served.end(1)
        #expect(served.room.loadIfFull != nil)
    }

    @Test func undeliveredAnswersCount() throws {
        let served = try full()
        served.take(2)
        served.end(2, undelivered: 2, bytes: 2)
        #expect(served.room.loadIfFull == ConnectionLoad(inFlight: 0, waiting: 2, retrying: 0, limit: 2))
        served.room.deliver(1, bytes: 1) {}
        #expect(served.room.loadIfFull == nil)
    }

    @Test func aClosedRoomHasAnotherReason() throws {
        let served = try full()
        served.room.close(by: .distantFuture)
        #expect(served.room.loadIfFull == nil)
        #expect(throws: ServedRoom.Refused(refusal: .closed)) { try served.offer() }
    }

    @Test func moreConnectionsAreMoreRoom() throws {
        let served = try full()
        served.room.setMembers(2)
        #expect(served.room.loadIfFull == nil)
    }
}
