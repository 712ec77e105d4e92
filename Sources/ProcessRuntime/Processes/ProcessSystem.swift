import Dispatch
import PushLocking

/// Where processes live: spawning, ending, watching.
///
/// ```swift
/// let system = ProcessSystem()
/// let counter = system.spawn(label: "counter") { Counter() }
/// system.monitor(counter.pid) { pid, reason in print("\(pid) ended: \(reason)") }
/// counter.send(42)
/// ```
/// All functions may be called from any thread, also from behaviors. A process runs until it exits or is ended, and
/// keeps its system alive; releasing the last address or the system ends nobody.
///
/// Ten thousand processes run on about as many threads as the machine has cores: their queues share the root queue of
/// the class "user interactive". A behavior must therefore not block.
public final class ProcessSystem: Sendable {
    /// The time that the processes of this system use.
    public let time: any TimeSource
    private let table = Locked(ProcessTable())
    private let deadLetterCount = Locked(0)
    /// For the downs of processes that are already dead.
    private let downs = DispatchQueue(label: "process-runtime.downs", target: .global(qos: .userInteractive))

    /// A system without processes.
    ///
    /// - Parameter time: Where its processes take their time from; a ``ManualTime`` in tests.
    public init(time: any TimeSource = SystemTime()) {
        self.time = time
    }

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - label: What debuggers call the queue of the process.
    ///   - make: Makes the behavior, on the caller's thread, before anything is started: the place for what can fail.
    /// - Returns: Where to send its messages. The process has not necessarily run yet.
    /// - Throws: What `make` throws; then no process was started.
    public func spawn<B: Behavior>(
        label: String, _ make: () throws -> sending B
    ) rethrows -> Address<B.Message> {
        try spawn(label: label, make, introducing: { _ in })
    }

    /// Starts a process that others know before it can do anything, its end included.
    ///
    /// - Parameter introduce: Gets the address while the process has not begun: what it sends is read later, and a kill
    ///   is obeyed later. If it throws, the process is killed before it begins.
    package func spawn<B: Behavior>(
        label: String, _ make: () throws -> sending B, introducing introduce: (Address<B.Message>) throws -> Void
    ) rethrows -> Address<B.Message> {
        let pid = ProcessID.makeUnique()
        let cell = ProcessCell<B.Message>(pid: pid, label: label, system: self, behavior: try make())
        table.withLock { $0.insert(cell, pid) }
        defer { cell.begin() }
        let address = Address(cell)
        do { try introduce(address) } catch {
            cell.interrupt(.kill)
            throw error
        }
        return address
    }

    /// Asks a process to end, or kills it. Does nothing where the process has ended.
    ///
    /// A request takes its turn behind the messages sent before it and goes to ``Behavior/exitRequested(_:in:)``,
    /// which may do otherwise. `.killed` overtakes all messages, is not asked for, and cannot be refused: after the
    /// message being handled, the next call is ``Behavior/terminated(_:in:)``.
    public func exit(_ pid: ProcessID, _ reason: ExitReason) {
        let cell = table.withLock { $0.cells[pid] }
        if case .killed = reason { cell?.interrupt(.kill) } else { cell?.requestExit(reason) }
    }

    /// Asks a process to end before it handles another message: the final shutdown of a supervisor.
    func exitOvertaking(_ pid: ProcessID, _ reason: ExitReason) {
        table.withLock { $0.cells[pid] }?.interrupt(.exitRequest(reason))
    }

    /// Whether a message to the process would be accepted now.
    public func isAlive(_ pid: ProcessID) -> Bool {
        table.withLock { $0.cells[pid] }?.isOpen ?? false
    }

    /// Tells once when a process has ended, and why: after its ``Behavior/terminated(_:in:)`` returned.
    ///
    /// Also for a process that has ended already; the call then comes at once, but never on the caller's thread. The
    /// reasons of the last 1,024 ended processes are known; before those, and for a pid of another system, the reason
    /// is `.failure(NoProcess)`.
    ///
    /// - Parameters:
    ///   - pid: The process to watch. May be watched any number of times.
    ///   - onDown: Called exactly once, unless ``demonitor(_:)`` comes first, on a queue of the runtime and with no lock
    ///     held. Must not block.
    /// - Returns: What to give to ``demonitor(_:)``.
    @discardableResult
    public func monitor(
        _ pid: ProcessID, _ onDown: @escaping @Sendable (ProcessID, ExitReason) -> Void
    ) -> MonitorReference {
        let (reference, ended) = table.withLock { $0.monitor(pid, onDown) }
        if let ended { downs.async { onDown(pid, ended) } }
        return reference
    }

    /// Takes a monitor back. A call that has begun, or is on its way for a process that had ended, still comes.
    ///
    /// - Returns: True if the closure will not be called; false if it was, is being or will be.
    @discardableResult
    public func demonitor(_ reference: MonitorReference) -> Bool {
        table.withLock { $0.demonitor(reference) } != nil
    }

    /// The pids of all processes, in no particular order.
    public var processes: [ProcessID] { table.withLock { Array($0.cells.keys) } }

    /// How many messages nobody read: sent to an ended process, or still waiting when theirs ended.
    public var deadLetters: Int { deadLetterCount.withLock { $0 } }

    func countDeadLetters(_ count: Int) {
        guard count > 0 else { return }
        deadLetterCount.withLock { $0 += count }
    }

    func processEnded(_ pid: ProcessID, _ reason: ExitReason) {
        let (watchers, _) = table.withLock { $0.end(pid, reason) }
        for onDown in watchers { onDown(pid, reason) }
    }
}
