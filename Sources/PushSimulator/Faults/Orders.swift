/// What is in force at a moment: the rules, and the states that last. Connections work on a copy, taken when a burst was read.
struct Orders: Sendable {
    /// A property of connections: of all, with those that come later, or of some.
    struct Reach: Sendable {
        private var everyone = false
        private var some: Set<ConnectionID> = []

        func includes(_ connection: ConnectionID) -> Bool { everyone || some.contains(connection) }

        mutating func add(_ selection: ConnectionSelection) {
            switch selection {
            case .all: everyone = true
            case .only(let connection): some.insert(connection)
            }
        }

        /// Taking it from all takes it from each; one connection cannot be excepted from all.
        mutating func remove(_ selection: ConnectionSelection) {
            switch selection {
            case .all: self = Reach()
            case .only(let connection): some.remove(connection)
            }
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
}
