import ProcessRuntime
import PushLocking
import PushTransport
import Synchronization

/// What the listener sees of a connection, to find one that must make room. Written by the connection's process.
final class ConnectionActivity: Sendable {
    private static let never = Int64.min
    /// When a provider whose credential was accepted made its last request; nanoseconds of the monotonic clock.
    private let lastRequest = Atomic(ConnectionActivity.never)
    private let isAwaited = Atomic(false)

    /// The provider, whose credential was accepted, made requests.
    func noteRequest(now: Int64) { lastRequest.store(now, ordering: .relaxed) }

    /// Whether the provider waits for an answer that is held or delayed.
    func note(isAwaited: Bool) { self.isAwaited.store(isAwaited, ordering: .relaxed) }

    /// How soon the connection makes room, the lowest first; nil if it must not. Strangers come first, who showed no
    /// accepted credential, the oldest before all.
    fileprivate func rank(now: Int64) -> Int64? {
        let last = lastRequest.load(ordering: .relaxed)
        guard last != Self.never else { return last }
        let isActive = now - last < ConnectionBook.activeTime || isAwaited.load(ordering: .relaxed)
        return isActive ? nil : last
    }
}

/// The open connections of a simulator, and which of them makes room for a new one.
struct ConnectionBook {
    /// What other objects know about an open connection.
    struct Entry: Sendable {
        let address: Address<ProviderConnectionMessage>
        let channel: any ByteChannel
        let activity: ConnectionActivity
        let report: Locked<ConnectionReport>
    }

    /// One who waits until these are open or turned away.
    struct ArrivalWaiter {
        var arriving: Set<ConnectionID>
        let continuation: CheckedContinuation<Void, Never>
    }

    enum Room {
        case free
        /// This connection must end.
        case instead(of: ConnectionID, Entry)
        case none
    }

    /// A provider that made a request in this time, in nanoseconds, is not idle.
    static let activeTime: Int64 = 10_000_000_000

    private(set) var lastNumber = 0
    private(set) var open: [ConnectionID: Entry] = [:]
    /// Those that were asked to end.
    private var ending: Set<ConnectionID> = []
    /// Those of which it is not known yet whether they are turned away.
    private var arriving: Set<ConnectionID> = []
    private var waiters: [ArrivalWaiter] = []

    /// The id of a connection that arrives.
    mutating func nextID() -> ConnectionID {
        lastNumber += 1
        let id = ConnectionID(lastNumber)
        arriving.insert(id)
        return id
    }

    /// The connection is open or turned away. Returns who waited for it and for no other any more.
    mutating func arrived(_ id: ConnectionID) -> [ArrivalWaiter] {
        arriving.remove(id)
        guard !waiters.isEmpty else { return [] }
        for index in waiters.indices { waiters[index].arriving.remove(id) }
        defer { waiters.removeAll(where: \.arriving.isEmpty) }
        return waiters.filter(\.arriving.isEmpty)
    }

    /// Adds one who waits for the connections that arrive now; false if there are none.
    mutating func add(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        guard !arriving.isEmpty else { return false }
        waiters.append(ArrivalWaiter(arriving: arriving, continuation: continuation))
        return true
    }

    /// Finds room for a new connection. A connection that ends for it still has its descriptors for a moment, so only
    /// an eighth of the limit may do so at once.
    mutating func makeRoom(limit: Int, now: Int64) -> Room {
        guard open.count - ending.count >= limit else { return .free }
        guard ending.count < max(1, limit / 8) else { return .none }
        var first: (rank: Int64, id: ConnectionID, entry: Entry)?
        for (id, entry) in open where !ending.contains(id) {
            guard let rank = entry.activity.rank(now: now) else { continue }
            if let first, (first.rank, first.id) < (rank, id) { continue }
            first = (rank, id, entry)
        }
        guard let first else { return .none }
        ending.insert(first.id)
        return .instead(of: first.id, first.entry)
    }

    mutating func add(_ entry: Entry, as id: ConnectionID) { open[id] = entry }

    /// Returns whether it was open.
    mutating func remove(_ id: ConnectionID) -> Bool {
        ending.remove(id)
        return open.removeValue(forKey: id) != nil
    }
}
