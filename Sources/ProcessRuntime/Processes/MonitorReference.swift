/// Names one call of ``ProcessSystem/monitor(_:_:)``, to take it back.
public struct MonitorReference: Hashable, Sendable {
    /// The process that is watched.
    public let pid: ProcessID
    let number: UInt64
}
