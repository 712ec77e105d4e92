import ProcessRuntime

/// The observable state of a connection.
extension ConnectionEntry {
    var waitingCount: Int { pool == nil ? room.load.waiting : room.boundCount(holder) }

    func status(_ now: MonotonicInstant) -> ConnectionStatus {
        let (standing, gauges, load, refusal) = (hub.standing, watch.gauges, load, refusal)
        let bytes = pool == nil ? room.payloadBytes : (0, 0)
        // In a pool, a connection counts what is in flight on its links and what waits for it alone.
        return ConnectionStatus(
            name: name, pid: pid, phase: standing.phase(refusal), outage: standing.outage, refusal: refusal,
            host: config.effectiveHost,
            port: gauges.port == 0 ? config.port : gauges.port, proxy: config.proxy.shown,
            credential: credentials.summary, generation: standing.generation,
            inFlight: load.inFlight, waiting: load.waiting, waitingBytes: bytes.0, retrying: load.retrying,
            retryingBytes: bytes.1, streamLimit: gauges.limit, isThrottled: gauges.isThrottled,
            isShortOfWindow: gauges.isShortOfWindow, openStreams: gauges.openStreams, lateStreams: gauges.late,
            drainingLinks: gauges.draining,
            rtt: gauges.rtt, tokenAge: credential.authority?.age(now), counters: watch.counters)
    }
}
