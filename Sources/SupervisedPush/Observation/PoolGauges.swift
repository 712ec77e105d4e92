import PushLocking

/// The gauges of a pool: those of its connections together, because they have one name and so one series.
final class PoolGauges: Sendable {
    private struct State {
        var members: [Int: ConnectionGauges] = [:]
        var shown: ConnectionGauges?
        /// One thread writes at a time, so that the latest sum is written last.
        var isWriting = false
    }

    private let state = Locked(State())

    func set(_ gauges: ConnectionGauges, of member: Int, in metrics: ConnectionMetrics) {
        change(metrics) { $0[member] = gauges }
    }

    /// The connection has ended.
    func remove(_ member: Int, from metrics: ConnectionMetrics) {
        change(metrics) { $0[member] = nil }
    }

    private func change(_ metrics: ConnectionMetrics, _ body: (inout [Int: ConnectionGauges]) -> Void) {
        let mayWrite = state.withLock { state in
            body(&state.members)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard mayWrite else { return }
        while let (all, old) = next() { metrics.set(all, before: old) }
    }

    /// The sum to write, and the one before it; nil if it is written, and the thread's turn is over.
    private func next() -> (all: ConnectionGauges, old: ConnectionGauges?)? {
        state.withLock { state in
            let (all, old) = (ConnectionGauges(together: state.members.values), state.shown)
            state.shown = all
            state.isWriting = all != old
            return all == old ? nil : (all, old)
        }
    }
}

extension ConnectionGauges {
    /// What several connections with one waiting room have: sums, the room's numbers once, and the longest round trip.
    fileprivate init(together gauges: some Sequence<ConnectionGauges>) {
        self.init()
        for gauge in gauges {
            inFlight += gauge.inFlight
            waiting = max(waiting, gauge.waiting)
            retrying = max(retrying, gauge.retrying)
            limit += gauge.limit
            openStreams += gauge.openStreams
            rtt = [rtt, gauge.rtt].compactMap(\.self).max()
        }
    }
}
