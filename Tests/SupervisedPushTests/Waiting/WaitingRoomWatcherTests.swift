import PushLocking
import Testing

@testable import SupervisedPush

@Suite("parity: E21, F4 – who wants to know when there is room is told once") struct WaitingRoomWatcherTests {
    private final class Answers: Sendable {
        let all = Locked<[String]>([])
        func note(_ name: String) -> @Sendable (Result<Void, PushError>) -> Void {
            { result in
                let text: String
                switch result {
                case .success: text = "room"
                case .failure(let error): text = error.code.name
                }
                self.all.withLock { $0.append("\(name): \(text)") }
            }
        }
        var texts: [String] { all.withLock { $0 } }
    }

    private let answers = Answers()

    @Test func atOnceWhereThereIsRoom() {
        ServedRoom().room.whenRoom(nil, answers.note("a"))
        #expect(answers.texts == ["a: room"])
    }

    @Test func allOnceAPlaceIsFreeButAfterThoseWhosePushesWait() throws {
        let room = ServedRoom(RoomSettings(maxWaiting: 1))
        try room.offer()
        let parked = room.record()
        #expect(room.room.offer(parked, outcome: .thread(BlockedCaller()), whenFull: .wait) == nil)
        room.room.whenRoom(nil, answers.note("a"))
        room.room.whenRoom(nil, answers.note("b"))
        #expect(room.take(1).count == 1)
        #expect(answers.texts.isEmpty && room.room.read { $0.parked.isEmpty && $0.waiting == 1 })
        room.room.cancel(parked)
        #expect(answers.texts == ["a: room", "b: room"])
    }

    @Test func noMoreThanItsBound() throws {
        let room = ServedRoom(RoomSettings(maxWaiting: 1, maxParked: 2))
        try room.offer()
        for name in ["a", "b", "c"] { room.room.whenRoom(nil, answers.note(name)) }
        #expect(answers.texts == ["c: overloaded"])
    }

    @Test func takenBackAndClosed() throws {
        let room = ServedRoom(RoomSettings(maxWaiting: 1))
        try room.offer()
        let watcher = room.room.newWatcher()
        room.room.whenRoom(watcher, answers.note("a"))
        room.room.whenRoom(nil, answers.note("b"))
        room.room.stopWatching(watcher)
        room.room.stopWatching(watcher)
        room.room.end(.closed)
        room.room.whenRoom(nil, answers.note("c"))
        #expect(answers.texts == ["a: cancelled", "b: closed", "c: closed"])
    }

    @Test func whoWaitsForIdlenessIsToldOnceAllHaveTheirOutcomeAndAllCompletionsReturned() throws {
        let room = ServedRoom()
        let calls = Locked<[String]>([])
        func watch(_ name: String) -> Int {
            let id = room.room.newWatcher()
            room.room.whenIdle(id) { calls.withLock { $0.append(name) } }
            return id
        }
        _ = watch("at once")
        #expect(calls.withLock { $0 } == ["at once"])
        let record = try room.offer(.completion { _ in })
        _ = watch("later")
        room.room.stopWatching(watch("taken back"))
        room.take(1)
        #expect(calls.withLock { $0.count } == 1)
        room.end(1, undelivered: 1, bytes: record.size)
        #expect(calls.withLock { $0.count } == 1)
        room.room.deliver(1, bytes: record.size) {}
        #expect(calls.withLock { $0 } == ["at once", "later"])
    }
}
