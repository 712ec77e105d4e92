import ProcessRuntime

extension PoolEntry {
    /// The sums over its connections.
    func status(_ now: MonotonicInstant) -> ConnectionStatus { reading(now).status }

    /// Its status, and the statuses of its connections that it is made of.
    func reading(
        _ now: MonotonicInstant
    ) -> (status: ConnectionStatus, members: [(entry: ConnectionEntry, status: ConnectionStatus)]) {
        let (connections, departed) = connectionsAndDeparted
        let members = connections.map { (entry: $0, status: $0.status(now)) }
        return (status(of: members.map(\.status), departed: departed, now), members)
    }

    private func status(
        of all: [ConnectionStatus], departed: ConnectionCounters, _ now: MonotonicInstant
    ) -> ConnectionStatus {
        func sum(_ value: (ConnectionStatus) -> Int) -> Int { all.reduce(0) { $0 + value($1) } }
        var counters = departed
        for status in all { counters.add(status.counters) }
        // Pushes that ended without a connection.
        counters.add(watch.counters)
        let (load, bytes, standing) = (load, room.payloadBytes, hub.standing)
        let up = all.filter { $0.phase == .up }
        return ConnectionStatus(
            name: name, pid: pid, phase: standing.phase(refusal), outage: standing.outage, refusal: refusal,
            host: config.effectiveHost,
            port: (up.first ?? all.first)?.port ?? config.port, proxy: config.proxy.shown,
            credential: credentials.summary, generation: 0, inFlight: load.inFlight,
            waiting: load.waiting, waitingBytes: bytes.waiting, retrying: load.retrying,
            retryingBytes: bytes.retrying, streamLimit: sum(\.streamLimit),
            isThrottled: !up.isEmpty && up.allSatisfy(\.isThrottled),
            isShortOfWindow: !up.isEmpty && up.allSatisfy(\.isShortOfWindow), openStreams: sum(\.openStreams),
            lateStreams: sum(\.lateStreams), drainingLinks: sum(\.drainingLinks), rtt: all.compactMap(\.rtt).max(),
            tokenAge: credentials.current.authority?.age(now), counters: counters)
    }
}
