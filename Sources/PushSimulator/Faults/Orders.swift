/// The active rules and lasting states. Connections work on a copy that they take when they have read a burst.
struct Orders: Sendable {
    /// The connections that a state applies to: all, including future ones, or some.
    struct Reach: Sendable {
        private var selections: Set<ConnectionSelection> = []

        var isNone: Bool { selections.isEmpty }

        func includes(_ connection: ConnectionID) -> Bool {
            selections.contains(.all) || selections.contains(.only(connection))
                || selections.contains { $0.includes(connection) }
        }

        mutating func add(_ selection: ConnectionSelection) { selections.insert(selection) }

        /// Removing all removes each. A single connection cannot be removed from all, or from a selection of several.
        mutating func remove(_ selection: ConnectionSelection) {
            if selection == .all { selections.removeAll() } else { selections.remove(selection) }
        }
    }

    /// What happens to a provider that connects.
    enum ListenerState: Sendable, Hashable {
        case open, refusing, silent
    }

    var version = 0
    var rules: [(id: FaultRule.ID, rule: FaultRule)] = []
    var held = Reach()
    var muted = Reach()
    /// The open connections that were deafened.
    var deaf: Set<ConnectionID> = []
    var latency: Latency?
    var listener = ListenerState.open
    /// The monotonic clock at the first start, in nanoseconds: the origin of the rules' times.
    var start: Int64 = 0

    /// Converts an instant of the monotonic clock to the time that rules use.
    func time(_ now: Int64) -> Duration { .nanoseconds(now - start) }
}
