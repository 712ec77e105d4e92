import PushLocking

/// Names of processes.
///
/// A name has one holder; a process may have several names. The registry does not monitor processes: a name stays taken
/// when its process ends, so that a restarted process can get it by ``rebind(_:to:expecting:)``. The caller that registers a
/// name must unregister it. May be used from any thread.
public final class Registry: Sendable {
    private let pids = Locked<[String: ProcessID]>([:])

    /// Creates a registry without names.
    public init() {}

    /// Gives a free name to a process. Does nothing if the process already has the name.
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

    /// Passes a name to another process. The name is never free in between.
    ///
    /// - Parameters:
    ///   - name: The name. A free name stays free.
    ///   - pid: The new holder.
    ///   - expected: If given, the name is passed only if this process holds it.
    /// - Returns: Whether the name was passed.
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
    ///   - name: The name.
    ///   - expected: If given, the name is freed only if this process holds it.
    /// - Returns: The process that had the name; nil if no name was freed.
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

    /// All registered names, sorted.
    public var names: [String] {
        pids.withLock { Array($0.keys) }.sorted()
    }
}

/// The name belongs to another process.
public struct NameTaken: Error, Hashable, CustomStringConvertible {
    /// The requested name.
    public let name: String
    /// The process that has the name.
    public let holder: ProcessID

    /// Creates an error about `name`, which belongs to `holder`.
    public init(name: String, holder: ProcessID) {
        self.name = name
        self.holder = holder
    }

    /// A sentence that says what is wrong.
    public var description: String { "the name \"\(name)\" is taken by process \(holder)" }
}
