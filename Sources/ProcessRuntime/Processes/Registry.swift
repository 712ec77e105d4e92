import PushLocking

/// Names of processes.
///
/// A name has one holder; a process may have several names. The registry watches nobody: a name stays taken when its
/// process ends, so that a restarted process can have it again by ``rebind(_:to:expecting:)``. Who registers a name
/// unregisters it. May be used from any thread.
public final class Registry: Sendable {
    private let pids = Locked<[String: ProcessID]>([:])

    /// A registry without names.
    public init() {}

    /// Gives a free name to a process. Registering a name for the process that has it changes nothing.
    ///
    /// - Throws: ``NameTaken`` with the holder, if another process has the name.
    public func register(_ name: String, _ pid: ProcessID) throws(NameTaken) {
        let holder = pids.withLock { pids in
            let holder = pids[name] ?? pid
            pids[name] = holder
            return holder
        }
        guard holder == pid else { throw NameTaken(name: name, holder: holder) }
    }

    /// Passes a name on to another process. There is no moment at which the name is free.
    ///
    /// - Parameters:
    ///   - name: The name. One that nobody has is not passed on.
    ///   - pid: The new holder.
    ///   - expected: If given, the name is passed on only if this process holds it.
    /// - Returns: Whether the name was passed on.
    @discardableResult
    public func rebind(_ name: String, to pid: ProcessID, expecting expected: ProcessID? = nil) -> Bool {
        pids.withLock { pids in
            guard let holder = pids[name], holder == expected ?? holder else { return false }
            pids[name] = pid
            return true
        }
    }

    /// Frees a name.
    ///
    /// - Parameters:
    ///   - name: The name. One that nobody has stays free.
    ///   - expected: If given, the name is freed only if this process holds it.
    /// - Returns: The process that had the name, if it was freed.
    @discardableResult
    public func unregister(_ name: String, expecting expected: ProcessID? = nil) -> ProcessID? {
        pids.withLock { pids in
            guard let holder = pids[name], holder == expected ?? holder else { return nil }
            pids[name] = nil
            return holder
        }
    }

    /// The process that has the name.
    public func pid(of name: String) -> ProcessID? {
        pids.withLock { $0[name] }
    }

    /// All names that are taken, sorted.
    public var names: [String] {
        pids.withLock { Array($0.keys) }.sorted()
    }
}
