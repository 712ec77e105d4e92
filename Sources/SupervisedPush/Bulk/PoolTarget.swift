import Dispatch

/// A pool as the target of a bulk.
struct PoolTarget: BulkTarget {
    private let pool: PoolEntry
    var outbox: Outbox { pool.outbox }
    var entrance: PushEntrance { pool.entrance }

    init(_ pool: PoolEntry) { self.pool = pool }

    var isUp: Bool { pool.members.contains { $0.watch.gauges.phase == .up } }

    var window: Int {
        let gauges = pool.members.map(\.watch.gauges)
        let limits = gauges.filter { $0.phase == .up }.map(\.limit)
        guard limits.isEmpty else { return limits.reduce(0) { $0 + $1 + Self.reserve } }
        return max(1, gauges.count) * (pool.config.maxInFlight + Self.reserve)
    }

    var end: PushError? { pool.endError }

    func outage(of time: Duration) -> PushError {
        pool.hub.phase == .suspended ? .suspended() : .noLink(for: time)
    }

    func watch(_ call: @escaping @Sendable () -> Void) -> Int? { pool.hub.watch(call) }
    func unwatch(_ id: Int) { pool.hub.unwatch(id) }
}
