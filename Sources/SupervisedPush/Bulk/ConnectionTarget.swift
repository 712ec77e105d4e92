import Dispatch
import Locking

/// A connection as the target of a bulk: by name, which stays across its processes, or by the pid of one of them.
struct ConnectionTarget: BulkTarget {
    private let entry: ConnectionEntry
    /// The only process that is meant; nil if any of the connection is.
    private let pid: ProcessID?

    init(_ entry: ConnectionEntry, _ target: PushTarget) {
        self.entry = entry
        if case .pid(let pid) = target { self.pid = pid } else { pid = nil }
    }

    var outbox: Outbox { entry.outbox }
    var entrance: PushEntrance { entry.entrance }

    /// The hub knows first that a link is lost; that one is up counts once its limit is known, too.
    var isUp: Bool { entry.hub.phase == .up && entry.watch.gauges.phase == .up }

    var window: Int {
        let gauges = entry.watch.gauges
        return Self.reserve + (gauges.phase == .up ? gauges.limit : entry.settings.maxInFlight)
    }

    var end: PushError? {
        if let pid, entry.pid != pid { return .noProcess(pid) }
        return entry.endError
    }

    func outage(of time: Duration) -> PushError {
        entry.hub.phase == .suspended ? .suspended() : .noLink(for: time)
    }

    func watch(_ call: @escaping @Sendable () -> Void) -> Int? { entry.hub.watch(call) }
    func unwatch(_ id: Int) { entry.hub.unwatch(id) }
}

extension ConnectionEntry {
    /// Why a connection that has ended is no more; nil before that.
    fileprivate var endError: PushError? {
        let (hasEnded, refusal, isClosing) = state.withLock { ($0.hasEnded, $0.refusal, $0.isClosing) }
        guard hasEnded else { return nil }
        if let refusal { return .notUp(refusal) }
        return isClosing ? .closed(nil) : .givenUp()
    }
}
