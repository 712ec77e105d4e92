/// What is asked of a connection or of a pool as a whole.
extension Destination {
    /// How full it is.
    var load: PushError.Load {
        connections.map(\.intake.load).reduce(PushError.Load(inFlight: 0, waiting: 0, limit: 0)) {
            PushError.Load(
                inFlight: $0.inFlight + $1.inFlight, waiting: $0.waiting + $1.waiting, limit: $0.limit + $1.limit)
        }
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
        let up = all.filter { $0.phase == .up }
        return ConnectionStatus(
            name: name, pid: pid, phase: hub.phase ?? .down, host: config.effectiveHost,
            port: (up.first ?? all.first)?.port ?? config.port, proxy: config.proxy.shown,
            credential: credentials.summary, generation: 0, inFlight: sum(\.inFlight),
            waiting: sum(\.waiting), waitingBytes: sum(\.waitingBytes), streamLimit: sum(\.streamLimit),
            isThrottled: !up.isEmpty && up.allSatisfy(\.isThrottled), openStreams: sum(\.openStreams),
            lateStreams: sum(\.lateStreams), drainingLinks: sum(\.drainingLinks), rtt: all.compactMap(\.rtt).max(),
            tokenAge: credentials.current.authority?.age(now), counters: counters)
    }
}
