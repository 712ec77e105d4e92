import Dispatch

/// What a behavior knows of its own process.
///
/// Given to every function of ``Behavior``; it may be kept. Everything that acts (`exit`, `perform`) must be called on
/// ``queue``; elsewhere it traps. After the end of the process it does nothing.
public final class ProcessContext<Message: Sendable> {
    private let cell: ProcessCell<Message>

    init(_ cell: ProcessCell<Message>) {
        self.cell = cell
    }

    /// The process itself.
    public var pid: ProcessID { cell.pid }

    /// Where others reach the process. A message to oneself is handled after those already waiting.
    public var address: Address<Message> { Address(cell) }

    /// The serial queue on which the behavior runs: the one for its Dispatch sources and timers.
    public var queue: DispatchQueue { cell.queue }

    /// The time of the system.
    public var time: any TimeSource { cell.system.time }

    /// The system the process lives in, to spawn, monitor and end others.
    public var system: ProcessSystem { cell.system }

    /// Ends the process after the current message. The first reason counts, except that a kill overrides it.
    public func exit(_ reason: ExitReason) {
        cell.requestEnd(reason)
    }

    /// Runs the work of an event that is not a message: of a Dispatch source or a timer on ``queue``.
    ///
    /// It counts as a message: `body`, then ``Behavior/flush(in:)``; if either throws, the process ends with
    /// `.failure`. Within a message or another `perform` it runs `body` only, since a flush follows anyway. After the
    /// end of the process `body` is not run.
    public func perform(_ body: () throws -> Void) {
        cell.perform(body)
    }

    /// Makes a closure for a source or a connector that calls back on ``queue``, where it performs `body`.
    ///
    /// `body` may touch the behavior, although the closure is Sendable: it runs on ``queue`` only, and calling it
    /// elsewhere traps. It should hold the behavior weakly or unowned if the behavior keeps what calls it.
    public func callback<Value>(_ body: @escaping (Value) throws -> Void) -> @Sendable (Value) -> Void {
        // Unsafe, because Sendable cannot say "on this queue only"; `perform` checks exactly that before the call.
        nonisolated(unsafe) let body = body
        return { [cell] value in cell.perform { try body(value) } }
    }

    /// Makes a closure without an argument for a source or a timer on ``queue``. See ``callback(_:)-(_)``.
    public func callback(_ body: @escaping () throws -> Void) -> @Sendable () -> Void {
        nonisolated(unsafe) let body = body  // As above: runs on the queue only.
        return { [cell] in cell.perform(body) }
    }

    /// Makes a timer of the system's time that performs `body` each time it fires.
    public func makeTimer(_ body: @escaping () throws -> Void) -> any OneShotTimer {
        time.makeTimer(on: queue, callback(body))
    }
}
