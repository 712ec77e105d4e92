/// Those who want to be told: that every push has its outcome, or that there is room.
struct RoomWatchers {
    /// Who wants to be told once there is room.
    struct RoomWatcher {
        let id: Int
        let call: @Sendable (Result<Void, PushError>) -> Void
    }

    var room: [RoomWatcher] = []
    var idle: [(id: Int, call: @Sendable () -> Void)] = []
    private var last = 0

    var isEmpty: Bool { room.isEmpty && idle.isEmpty }

    /// A number to take the watching back by.
    mutating func newID() -> Int {
        last += 1
        return last
    }

    /// Takes the watching back; gives who watched for room, and hears of it.
    mutating func remove(_ id: Int) -> RoomWatcher? {
        idle.removeAll { $0.id == id }
        return room.firstIndex { $0.id == id }.map { room.remove(at: $0) }
    }
}

extension WaitingRoom {
    /// Those who are to be told now.
    mutating func takeCalls() -> [@Sendable () -> Void] {
        var calls: [@Sendable () -> Void] = []
        if isIdle {
            calls = watchers.idle.map(\.call)
            watchers.idle = []
        }
        if !watchers.room.isEmpty, let news = roomNews() {
            calls += watchers.room.map { watcher in { watcher.call(news) } }
            watchers.room = []
        }
        return calls
    }

    private mutating func roomNews() -> Result<Void, PushError>? {
        if isClosed { return .failure(.closed(nil)) }
        // Those whose pushes are parked come first.
        guard parked.isEmpty, reserve(Self.largestPush, waits: true) else { return nil }
        return .success(())
    }

    /// The most bytes that APNs takes of a payload.
    private static var largestPush: Int { 5_120 }
}
