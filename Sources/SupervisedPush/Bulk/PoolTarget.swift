import Dispatch

/// A pool as the target of a bulk: each push goes to the connection that is least loaded when it is read.
struct PoolTarget: BulkTarget {
    private let pool: PoolEntry
    /// One of its connections, which refuses what is read after the pool's end.
    private let witness: ConnectionEntry
    let timerQueue = DispatchQueue(label: "push.bulk.timer", target: .global(qos: .userInteractive))

    init(_ pool: PoolEntry) throws(PushError) {
        guard let witness = pool.everyMember.first else { throw .closed(nil) }
        self.pool = pool
        self.witness = witness
    }

    var time: any TimeSource { pool.time }

    var isUp: Bool { pool.members.contains { $0.standing.phase == .up } }

    var window: Int {
        let standings = pool.members.map(\.standing)
        let limits = standings.filter { $0.phase == .up }.map(\.limit)
        guard limits.isEmpty else { return limits.reduce(0) { $0 + $1 + Self.reserve } }
        return max(1, standings.count) * (pool.config.maxInFlight + Self.reserve)
    }

    var end: PushError? { pool.end }

    func outage(of time: Duration) -> PushError {
        pool.hub.phase == .suspended ? .suspended() : .noLink(for: time)
    }

    func watch(_ call: @escaping @Sendable () -> Void) -> Int? { pool.hub.watch(call) }
    func unwatch(_ id: Int) { pool.hub.unwatch(id) }

    func issue(_ item: BulkItem, _ options: PushOptions) -> PushRecord {
        ((try? pool.member(for: item.recipient, options)) ?? witness).issue(item, options)
    }

    func offer(_ record: PushRecord, _ options: PushOptions, _ outcome: OutcomeSink) throws(PushError) {
        guard let entry = record.home else { throw .closed(record.id) }
        try entry.check(record, options)
        try entry.offer(record, outcome, options.whenFull)
    }

    func cancel(_ record: PushRecord) { record.home?.cancel(record) }
}

extension BulkItem {
    fileprivate var recipient: Recipient {
        switch self {
        case .push(let push): .device(push.deviceToken)
        case .broadcast(let broadcast): .channel(broadcast.channel)
        }
    }
}
