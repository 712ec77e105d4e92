/// How a caller names a connection or a pool.
enum PushTarget {
    case name(String)
    case pid(ProcessID)
}

/// What a name or a pid leads to.
enum Destination {
    case connection(ConnectionEntry)
    case pool(PoolEntry)

    /// The live process; nil between two processes and after the end.
    var pid: ProcessID? {
        switch self {
        case .connection(let entry): entry.pid
        case .pool(let pool): pool.pid
        }
    }

    var hub: LifecycleHub {
        switch self {
        case .connection(let entry): entry.hub
        case .pool(let pool): pool.hub
        }
    }

    var credentials: CredentialSlot {
        switch self {
        case .connection(let entry): entry.credentials
        case .pool(let pool): pool.credentials
        }
    }

    var config: ConnectionConfig {
        switch self {
        case .connection(let entry): entry.config
        case .pool(let pool): pool.config
        }
    }

    /// The connections behind it, those included that only finish what they have.
    var connections: [ConnectionEntry] {
        switch self {
        case .connection(let entry): [entry]
        case .pool(let pool): pool.everyMember
        }
    }

    /// Where pushes go that are called by its name or its pid.
    var entrance: PushEntrance {
        switch self {
        case .connection(let entry): entry.entrance
        case .pool(let pool): pool.entrance
        }
    }

    var outbox: Outbox {
        switch self {
        case .connection(let entry): entry.outbox
        case .pool(let pool): pool.outbox
        }
    }
}

extension Directory {
    func destination(_ target: PushTarget) throws(PushError) -> Destination {
        switch target {
        case .name(let name):
            guard let found = destination(named: name) else { throw .unknownName(name) }
            return found
        case .pid(let pid):
            guard let found = destination(of: pid) else { throw .noProcess(pid) }
            return found
        }
    }

    /// One connection; a pool is several.
    func connection(_ target: PushTarget) throws(PushError) -> ConnectionEntry {
        guard case .connection(let entry) = try destination(target) else { throw .isPool() }
        return entry
    }
}
