import Dispatch

/// A behavior's access to its own process.
///
/// Every function of ``Behavior`` receives it, and may keep it. The functions that act (`exit`, `perform`) must be
/// called on ``queue``; elsewhere they trap. After the end of the process they do nothing.
public final class ProcessContext<Message: Sendable> {
    private let cell: ProcessCell<Message>

    init(_ cell: ProcessCell<Message>) {
        self.cell = cell
    }

    /// The pid of the process.
    public var pid: ProcessID { cell.pid }

    /// The address of the process. A message that a process sends to itself is handled after those that already wait.
    public var address: Address<Message> { Address(cell) }

    /// The serial queue on which the behavior runs. Use it for Dispatch sources and timers.
    public var queue: DispatchQueue { cell.queue }

    /// The clock of the system.
    public var time: any TimeSource { cell.system.time }

    /// The system that the process belongs to.
    public var system: ProcessSystem { cell.system }

    /// Ends the process after the current message. The first reason counts, but a kill overrides it.
    public func exit(_ reason: ExitReason) {
        cell.requestEnd(reason)
    }

    /// Runs the work of an event that is not a message, such as that of a Dispatch source or a timer on ``queue``.
    ///
    /// It counts as a message: `body` runs, then ``Behavior/flush(in:)``. If either throws, the process ends with
    /// `.failure`. Within a message or another `perform` only `body` runs, because a flush follows anyway. After the
    /// end of the process `body` does not run.
    public func perform(_ body: () throws -> Void) {
        cell.perform(body)
    }

    /// Makes a closure for a source or a connector that calls back on ``queue``. The closure performs `body`.
    ///
    /// `body` may access the behavior, although the closure is Sendable: it runs on ``queue`` only, and a call from
    /// elsewhere traps. If the behavior keeps the caller of the closure, `body` should hold the behavior weakly or
    /// unowned.
    public func callback<Value>(_ body: @escaping (Value) throws -> Void) -> @Sendable (Value) -> Void {
        // nonisolated(unsafe): Sendable cannot express "on this queue only". `perform` checks exactly that before the call.
        nonisolated(unsafe) let body = body
        return { [cell] value in cell.perform { try body(value) } }
    }

    /// Makes a closure without an argument for a source or a timer on ``queue``. See ``callback(_:)-(_)``.
    public func callback(_ body: @escaping () throws -> Void) -> @Sendable () -> Void {
        nonisolated(unsafe) let body = body  // nonisolated(unsafe): as above, it runs on the queue only.
        return { [cell] in cell.perform(body) }
    }

    /// Makes a timer that performs `body` each time it fires. It uses the clock of the system.
    public func makeTimer(_ body: @escaping () throws -> Void) -> any OneShotTimer {
        time.makeTimer(on: queue, callback(body))
    }
}
