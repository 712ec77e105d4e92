import PushLocking

/// The load of a connection's process, measured once per burst.
struct ConnectionGauges: Sendable, Equatable {
    /// The port of the current link, otherwise of the present or next attempt; 0 while no process lives.
    var port = 0
    var inFlight = 0
    /// Pushes that wait in the room, when the process last looked.
    var waiting = 0
    /// Those that wait there to be sent again.
    var retrying = 0
    /// The most streams the current link may have open; 0 without a link.
    var limit = 0
    /// True while the peer's limit is lower than it has been on this link.
    var isThrottled = false
    /// True while pushes wait because the peer takes no more bytes (flow control).
    var isShortOfWindow = false
    /// Streams open on all links, including those of late pushes.
    var openStreams = 0
    var late = 0
    var draining = 0
    /// The current link's round trip; nil before its first PING was answered.
    var rtt: Duration?
}

extension ConnectionGauges {
    init(_ machine: borrowing ConnectionMachine) {
        port = machine.current?.port ?? machine.dialed?.port ?? machine.ports.port
        inFlight = machine.inFlight
        limit = machine.current?.limit ?? 0
        isThrottled = machine.isThrottled
        isShortOfWindow = machine.current?.shortSince != nil
        openStreams = machine.current?.open ?? 0
        for draining in machine.draining { openStreams += draining.link.open }
        late = machine.table.late.count
        draining = machine.draining.count
        rtt = machine.current?.rtt
    }
}

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
