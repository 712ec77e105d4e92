/// What is asked of a connection or of a pool as a whole.
extension Destination {
    /// How full it is. In flight is what was written: what a connection has taken and is about to write is nowhere for a moment.
    var load: PushError.Load {
        let load = outbox.room.load
        let inFlight = connections.reduce(0) { $0 + $1.watch.gauges.inFlight }
        return PushError.Load(inFlight: inFlight, waiting: load.waiting, limit: load.limit)
    }

    func status(_ now: MonotonicInstant) -> ConnectionStatus {
        switch self {
        case .connection(let entry): entry.status(now)
        case .pool(let pool): pool.status(now)
        }
    }
}

extension PoolEntry {
    /// The sums over its connections.
    func status(_ now: MonotonicInstant) -> ConnectionStatus {
        let all = everyMember.map { $0.status(now) }
        func sum(_ value: (ConnectionStatus) -> Int) -> Int { all.reduce(0) { $0 + value($1) } }
        var counters = ConnectionCounters()
        for status in all { counters.add(status.counters) }
        // What ended without a connection.
        counters.add(watch.counters)
        let load = Destination.pool(self).load
        let up = all.filter { $0.phase == .up }
        return ConnectionStatus(
            name: name, pid: pid, phase: hub.phase ?? .down, host: config.effectiveHost,
            port: (up.first ?? all.first)?.port ?? config.port, proxy: config.proxy.shown,
            credential: credentials.summary, generation: 0, inFlight: load.inFlight,
            waiting: load.waiting, waitingBytes: room.waitingBytes, streamLimit: sum(\.streamLimit),
            isThrottled: !up.isEmpty && up.allSatisfy(\.isThrottled), openStreams: sum(\.openStreams),
            lateStreams: sum(\.lateStreams), drainingLinks: sum(\.drainingLinks), rtt: all.compactMap(\.rtt).max(),
            tokenAge: credentials.current.authority?.age(now), counters: counters)
    }
}
