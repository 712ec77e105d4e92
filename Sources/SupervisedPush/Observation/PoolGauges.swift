import PushLocking

/// The gauges of a pool: those of its connections together, because they have one name and so one series.
final class PoolGauges: Sendable {
    private struct State {
        var members: [Int: ConnectionGauges] = [:]
        var shown: ConnectionGauges?
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
        // Written under the lock: of two connections that change at once, the later sum must be written last.
        state.withLock { state in
            body(&state.members)
            let all = ConnectionGauges(together: state.members.values)
            metrics.set(all, before: state.shown)
            state.shown = all
        }
    }
}

extension ConnectionGauges {
    /// What several connections with one waiting room have: sums, the room's number once, and the longest round trip.
    fileprivate init(together gauges: some Sequence<ConnectionGauges>) {
        self.init()
        for gauge in gauges {
            inFlight += gauge.inFlight
            waiting = max(waiting, gauge.waiting)
            limit += gauge.limit
            openStreams += gauge.openStreams
            rtt = [rtt, gauge.rtt].compactMap(\.self).max()
        }
    }
}
