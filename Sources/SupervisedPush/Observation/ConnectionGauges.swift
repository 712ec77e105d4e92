/// How full a connection's process is: taken once per burst.
struct ConnectionGauges: Sendable, Equatable {
    /// Of the current link, else of the one that is dialled or will be; 0 while no process lives.
    var port = 0
    var inFlight = 0
    /// Pushes that wait in the room, at the process's last look.
    var waiting = 0
    /// The most streams the current link may have open; 0 without one.
    var limit = 0
    /// True while the peer's limit is below what it once was on this link.
    var isThrottled = false
    /// Streams open on all links, those of late pushes included.
    var openStreams = 0
    var late = 0
    var draining = 0
    /// The current link's; nil before its first PING was answered.
    var rtt: Duration?
}

extension ConnectionGauges {
    init(_ machine: borrowing ConnectionMachine) {
        port = machine.current?.port ?? machine.dialed?.port ?? machine.ports.port
        inFlight = machine.inFlight
        limit = machine.current?.limit ?? 0
        isThrottled = machine.isThrottled
        openStreams = machine.current?.open ?? 0
        for draining in machine.draining { openStreams += draining.link.open }
        late = machine.table.late.count
        draining = machine.draining.count
        rtt = machine.current?.rtt
    }
}
