/// Callers who wait until every push has its outcome, or until there is room.
struct RoomWatchers {
    /// A caller who waits for room.
    struct RoomWatcher {
        let id: Int
        let call: @Sendable (Result<Void, PushError>) -> Void
    }

    var room: [RoomWatcher] = []
    var idle: [(id: Int, call: @Sendable () -> Void)] = []
    private var last = 0

    var isEmpty: Bool { room.isEmpty && idle.isEmpty }

    /// A number with which to remove the watcher.
    mutating func newID() -> Int {
        last += 1
        return last
    }

    /// Removes a watcher; returns one who waits for room, because it must be called.
    mutating func remove(_ id: Int) -> RoomWatcher? {
        idle.removeAll { $0.id == id }
        return room.firstIndex { $0.id == id }.map { room.remove(at: $0) }
    }
}

extension WaitingRoom {
    /// Removes and returns the calls that are due.
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
        // Parked pushes come first.
        guard parked.isEmpty, reserve(Self.largestPush, waits: true) else { return nil }
        return .success(())
    }

    /// The most bytes of a payload that APNs accepts.
    private static var largestPush: Int { 5_120 }
}
