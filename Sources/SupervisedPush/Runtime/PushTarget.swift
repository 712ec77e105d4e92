/// How a caller names a connection.
enum PushTarget {
    case name(String)
    case pid(ProcessID)
}

extension Directory {
    func entry(_ target: PushTarget) throws(PushError) -> ConnectionEntry {
        switch target {
        case .name(let name):
            guard let entry = entry(named: name) else { throw .unknownName(name) }
            return entry
        case .pid(let pid):
            guard let entry = entry(of: pid) else { throw .noProcess(pid) }
            return entry
        }
    }
}
