/// How a caller names a connection or a pool.
enum PushTarget {
    case name(String)
    case pid(ProcessID)
}

extension Directory {
    func destination(_ target: PushTarget) throws(PushError) -> any Destination {
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
        guard let entry = try destination(target) as? ConnectionEntry else { throw .isPool() }
        return entry
    }
}
