/// What is in force at a moment: the rules, and the states that last. Connections work on a copy, taken when a burst was read.
struct Orders: Sendable {
    /// A property of connections: of all, with those that come later, or of some.
    struct Reach: Sendable {
        private var selections: Set<ConnectionSelection> = []

        func includes(_ connection: ConnectionID) -> Bool {
            selections.contains(.all) || selections.contains(.only(connection))
                || selections.contains { $0.includes(connection) }
        }

        mutating func add(_ selection: ConnectionSelection) { selections.insert(selection) }

        /// Taking it from all takes it from each; one connection cannot be excepted from all, nor from a selection of several.
        mutating func remove(_ selection: ConnectionSelection) {
            if selection == .all { selections.removeAll() } else { selections.remove(selection) }
        }
    }

    /// What happens to a provider that connects.
    enum Door: Sendable, Hashable {
        case open, refusing, silent
    }

    var version = 0
    var rules: [(id: FaultRule.ID, rule: FaultRule)] = []
    var held = Reach()
    var muted = Reach()
    var latency: Latency?
    var door = Door.open
    /// The monotonic clock at the first start, in nanoseconds: where the times of the rules begin.
    var start: Int64 = 0

    /// The time of a moment of the monotonic clock, as rules count it.
    func time(_ now: Int64) -> Duration { .nanoseconds(now - start) }
}
