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
