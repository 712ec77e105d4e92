import DequeModule
import PushQueue

/// What a process remembers of its calls, for a server that has lost the last of them in a failover.
struct QueueMemory {
    /// A settle that was acknowledged.
    struct Settle {
        let time: ContinuousClock.Instant
        /// The script's arguments from the first settlement on.
        let worker: WorkerID
        let words: [[UInt8]]
        /// What no other call has.
        let mark: [UInt8]
        /// The id of its rows, or empty.
        let id: [UInt8]
        let bytes: Int
    }

    /// How long settles are remembered: longer than a replica may lag.
    static let age = Duration.seconds(5)
    /// How many bytes of settles are remembered at most.
    static let limit = 16 << 20

    /// An entry that a worker of this process has.
    struct Held: Equatable {
        /// How far it is offered.
        var end = 0
        var isUrgent = false
    }

    /// The entries that workers of this process have.
    private(set) var held: [WorkerID: [TakenEntry.Key: Held]] = [:]
    /// Those that a new primary never had. Their rows have no entry there.
    private(set) var absent: [WorkerID: Set<TakenEntry.Key>] = [:]
    private(set) var settles: Deque<Settle> = []
    private var bytes = 0

    mutating func take(_ entries: [TakenEntry], as worker: WorkerID) {
        guard !entries.isEmpty else { return }
        for entry in entries where held[worker]?[entry.key] == nil {
            held[worker, default: [:]][entry.key] = Held(isUrgent: (try? entry.entry.get())?.isUrgent ?? false)
        }
    }

    mutating func offer(_ ends: [TakenEntry.Key: Int], as worker: WorkerID) {
        for (key, end) in ends { held[worker, default: [:]][key, default: Held()].end = end }
    }

    mutating func release(_ keys: some Sequence<TakenEntry.Key>, as worker: WorkerID) {
        guard var rest = held.removeValue(forKey: worker) else { return }
        for key in keys { rest[key] = nil }
        if !rest.isEmpty { held[worker] = rest }
    }

    /// Forgets what a worker had, but for these.
    mutating func keepOnly(_ keys: Set<TakenEntry.Key>, as worker: WorkerID) {
        held[worker] = held[worker]?.filter { keys.contains($0.key) }
        if held[worker]?.isEmpty == true { held[worker] = nil }
        keepAbsent(as: worker) { $0.intersection(keys) }
    }

    /// Notes entries that the new server never had.
    mutating func miss(_ keys: some Sequence<TakenEntry.Key>, as worker: WorkerID) {
        absent[worker, default: []].formUnion(keys)
        keepAbsent(as: worker) { $0 }
    }

    private mutating func keepAbsent(
        as worker: WorkerID, _ change: (Set<TakenEntry.Key>) -> Set<TakenEntry.Key>
    ) {
        guard let keys = absent[worker].map(change) else { return }
        absent[worker] = keys.isEmpty ? nil : keys
    }

    /// Forgets a worker that has left.
    mutating func forget(_ worker: WorkerID) { (held[worker], absent[worker]) = (nil, nil) }

    /// Forgets what workers had: the queue was lost.
    mutating func forgetHeld() { held = [:] }

    mutating func settle(
        _ settlements: [Settlement], as worker: WorkerID, words: [[UInt8]], mark: [UInt8], id: [UInt8],
        at now: ContinuousClock.Instant
    ) {
        let ended = settlements.lazy.filter { $0.fate != .open }.map(\.key)
        release(ended, as: worker)
        keepAbsent(as: worker) { $0.subtracting(ended) }
        let size = words.reduce(0) { $0 + $1.count + 32 }
        settles.append(Settle(time: now, worker: worker, words: words, mark: mark, id: id, bytes: size))
        bytes += size
        forget(before: now - Self.age)
    }

    private mutating func forget(before time: ContinuousClock.Instant) {
        while let first = settles.first, first.time < time || bytes > Self.limit {
            bytes -= first.bytes
            settles.removeFirst()
        }
    }
}
