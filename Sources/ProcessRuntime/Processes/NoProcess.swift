/// No process has this pid, or it ended so long ago that its reason is forgotten.
public struct NoProcess: Error, Hashable, CustomStringConvertible {
    /// The pid that was asked for.
    public let pid: ProcessID

    /// An error about `pid`.
    public init(_ pid: ProcessID) {
        self.pid = pid
    }

    /// What is wrong, in words.
    public var description: String { "no process \(pid)" }
}
