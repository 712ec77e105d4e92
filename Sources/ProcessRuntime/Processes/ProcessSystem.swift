import DequeModule
import Dispatch
import PushLocking

/// A system of processes: spawns, ends and monitors them.
///
/// ```swift
/// let system = ProcessSystem()
/// let counter = system.spawn(label: "counter") { Counter() }
/// system.monitor(counter.pid) { pid, reason in print("\(pid) ended: \(reason)") }
/// counter.send(42)
/// ```
/// All functions may be called from any thread, including from behaviors. A process runs until it exits or is ended,
/// and keeps its system alive. Releasing its last address or the system does not end it.
///
/// Ten thousand processes run on about as many threads as the machine has cores, because their queues share the root
/// queue of the class "user interactive". A behavior must therefore not block.
public final class ProcessSystem: Sendable {
    /// The clock of the processes in this system.
    public let time: any TimeSource
    private let table = Locked(ProcessTable())
    private let deadLetterCount = Locked(0)
    /// Calls the monitors of processes that had ended before the call.
    private let downs = DispatchQueue(label: "process-runtime.downs", target: .global(qos: .userInteractive))

    /// Creates a system without processes.
    ///
    /// - Parameter time: The clock of its processes; a ``ManualTime`` in tests.
    public init(time: any TimeSource = SystemTime()) {
        self.time = time
    }

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - label: The name of the process's queue, for debuggers.
    ///   - make: Makes the behavior on the caller's thread, before the process starts. Do here what can fail.
    /// - Returns: The address of the process, which may not have run yet.
    /// - Throws: The error of `make`; then no process was started.
    public func spawn<B: Behavior>(
        label: String, _ make: () throws -> sending B
    ) rethrows -> Address<B.Message> {
        try spawn(label: label, make, introducing: { _ in })
    }

    /// Starts a process that others know before it runs, and before it can end.
    ///
    /// - Parameter introduce: Receives the address before the process begins. The process reads messages and obeys a
    ///   kill only after that. If `introduce` throws, the process is killed before it begins.
    package func spawn<B: Behavior>(
        label: String, _ make: () throws -> sending B, introducing introduce: (Address<B.Message>) throws -> Void
    ) rethrows -> Address<B.Message> {
        let pid = ProcessID.makeUnique()
        let cell = ProcessCell<B.Message>(pid: pid, label: label, system: self, behavior: try make())
        table.withLock { $0.insert(cell, as: pid) }
        defer { cell.begin() }
        let address = Address(cell)
        do { try introduce(address) } catch {
            cell.interrupt(.kill)
            throw error
        }
        return address
    }

    /// Asks a process to end, or kills it. Does nothing if the process has ended.
    ///
    /// A request waits behind the messages sent before it, and calls ``Behavior/exitRequested(_:in:)``, which may
    /// decide otherwise. `.killed` overtakes all messages and cannot be refused: after the current message, the next
    /// call is ``Behavior/terminated(_:in:)``.
    public func exit(_ pid: ProcessID, _ reason: ExitReason) {
        let cell = table.withLock { $0.cells[pid] }
        if case .killed = reason { cell?.interrupt(.kill) } else { cell?.requestExit(reason) }
    }

    /// Asks a process to end before it handles another message. For the final shutdown of a supervisor.
    func exitOvertaking(_ pid: ProcessID, _ reason: ExitReason) {
        table.withLock { $0.cells[pid] }?.interrupt(.exitRequest(reason))
    }

    /// Whether the process would accept a message now.
    public func isAlive(_ pid: ProcessID) -> Bool {
        table.withLock { $0.cells[pid] }?.isOpen ?? false
    }

    /// Calls `onDown` once, when a process has ended and its ``Behavior/terminated(_:in:)`` has returned.
    ///
    /// If the process has ended already, the call comes at once, but never on the caller's thread. The system remembers
    /// the reasons of the last 1,024 ended processes. For older ones, and for a pid of another system, the reason is
    /// `.failure(NoProcess)`.
    ///
    /// - Parameters:
    ///   - pid: The process to monitor. It may be monitored any number of times.
    ///   - onDown: Called exactly once, unless ``demonitor(_:)`` comes first. It runs on a queue of the runtime with no
    ///     lock held, and must not block.
    /// - Returns: A reference for ``demonitor(_:)``.
    @discardableResult
    public func monitor(
        _ pid: ProcessID, _ onDown: @escaping @Sendable (ProcessID, ExitReason) -> Void
    ) -> MonitorReference {
        let (reference, ended) = table.withLock { $0.monitor(pid, onDown) }
        if let ended { downs.async { onDown(pid, ended) } }
        return reference
    }

    /// Removes a monitor. A call that has begun still ends. A call for a process that had ended before it was monitored
    /// still comes.
    ///
    /// - Returns: True if the closure will not be called. False if it was called, or may still be.
    @discardableResult
    public func demonitor(_ reference: MonitorReference) -> Bool {
        table.withLock { $0.demonitor(reference) } != nil
    }

    /// The pids of all processes, in no particular order.
    public var processes: [ProcessID] { table.withLock { Array($0.cells.keys) } }

    /// How many messages were never read: those sent to an ended process, and those unread when a process ended.
    public var deadLetters: Int { deadLetterCount.withLock { $0 } }

    func countDeadLetters(_ count: Int) {
        guard count > 0 else { return }
        deadLetterCount.withLock { $0 += count }
    }

    func processEnded(_ pid: ProcessID, reason: ExitReason) {
        let (watchers, _) = table.withLock { $0.end(pid, reason: reason) }
        for onDown in watchers { onDown(pid, reason) }
    }
}

/// Identifies a call of ``ProcessSystem/monitor(_:_:)``, so that it can be undone.
public struct MonitorReference: Hashable, Sendable {
    /// The monitored process.
    public let pid: ProcessID
    let number: UInt64
}

/// No process has this pid, or the process ended so long ago that its reason is forgotten.
public struct NoProcess: Error, Hashable, CustomStringConvertible {
    /// The requested pid.
    public let pid: ProcessID

    /// Creates an error about `pid`.
    public init(_ pid: ProcessID) {
        self.pid = pid
    }

    /// A sentence that says what is wrong.
    public var description: String { "no process \(pid)" }
}

/// The living processes, their monitors, and the reasons of the last ended ones. Accessed only under the system's lock.
struct ProcessTable {
    typealias OnDown = @Sendable (ProcessID, ExitReason) -> Void

    /// How many reasons are remembered. The oldest are forgotten first.
    static let rememberedReasons = 1_024

    private(set) var cells: [ProcessID: any AnyProcessCell] = [:]
    private var monitors: [ProcessID: [UInt64: OnDown]] = [:]
    private var reasons: [ProcessID: ExitReason] = [:]
    private var reasonsByAge = Deque<ProcessID>()
    private var lastMonitor: UInt64 = 0

    mutating func insert(_ cell: any AnyProcessCell, as pid: ProcessID) {
        cells[pid] = cell
    }

    /// Returns the reason if the process has ended; then no monitor is registered.
    mutating func monitor(_ pid: ProcessID, _ onDown: @escaping OnDown) -> (MonitorReference, ExitReason?) {
        lastMonitor += 1
        let reference = MonitorReference(pid: pid, number: lastMonitor)
        guard cells[pid] != nil else { return (reference, reasons[pid] ?? .failure(NoProcess(pid))) }
        monitors[pid, default: [:]][lastMonitor] = onDown
        return (reference, nil)
    }

    /// Returns the closure that will not be called, so that it can be released outside the lock.
    mutating func demonitor(_ reference: MonitorReference) -> OnDown? {
        guard let onDown = monitors[reference.pid]?.removeValue(forKey: reference.number) else { return nil }
        if monitors[reference.pid]?.isEmpty == true { monitors[reference.pid] = nil }
        return onDown
    }

    /// Returns the monitors to call, in the order of their registration, and what must be released outside the lock.
    mutating func end(_ pid: ProcessID, reason: ExitReason) -> (watchers: [OnDown], forgotten: [Any]) {
        var forgotten: [Any] = []
        if let cell = cells.removeValue(forKey: pid) { forgotten.append(cell) }
        reasons[pid] = reason
        reasonsByAge.append(pid)
        while reasonsByAge.count > Self.rememberedReasons, let oldest = reasonsByAge.popFirst() {
            if let reason = reasons.removeValue(forKey: oldest) { forgotten.append(reason) }
        }
        let watchers = (monitors.removeValue(forKey: pid) ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        return (watchers, forgotten)
    }
}
