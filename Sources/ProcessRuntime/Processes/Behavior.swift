/// The code of a process: what it does with its messages.
///
/// Every function is called on the queue of the process, one at a time, so a behavior is plain, unsynchronized code
/// with `var`s. It must not block. It need not be Sendable: the thread that spawns the process makes the behavior, and
/// from then on it belongs to the queue, where it is also released.
///
/// ```swift
/// final class Counter: Behavior {
///     private var count = 0
///
///     func receive(_ message: Int, in context: ProcessContext<Int>) {
///         count += message
///         if count >= 100 { context.exit(.normal) }
///     }
/// }
/// ```
public protocol Behavior<Message>: AnyObject {
    /// The type of the messages.
    associatedtype Message: Sendable

    /// Called first. If it throws, the process ends with `.failure`. The default does nothing.
    func started(in context: ProcessContext<Message>) throws

    /// Handles one message. Messages of one sender arrive in order. If it throws, the process ends with `.failure`.
    func receive(_ message: Message, in context: ProcessContext<Message>) throws

    /// Called once at the end of each burst of messages, and of each ``ProcessContext/perform(_:)``: the place to write
    /// what the burst produced. Not called after an exit. If it throws, the process ends with `.failure`. The default
    /// does nothing.
    func flush(in context: ProcessContext<Message>) throws

    /// Called when ``ProcessSystem/exit(_:_:)`` asks the process to end, with a reason other than `.killed`. By default
    /// the process ends with that reason.
    func exitRequested(_ reason: ExitReason, in context: ProcessContext<Message>)

    /// Called last, exactly once, however the process ends. A process that is killed before it ran gets only this call.
    /// Sends to the process itself already return false. The default does nothing.
    func terminated(_ reason: ExitReason, in context: ProcessContext<Message>)
}

extension Behavior {
    /// Does nothing.
    public func started(in context: ProcessContext<Message>) throws {}

    /// Does nothing.
    public func flush(in context: ProcessContext<Message>) throws {}

    /// Ends the process with `reason`.
    public func exitRequested(_ reason: ExitReason, in context: ProcessContext<Message>) {
        context.exit(reason)
    }

    /// Does nothing.
    public func terminated(_ reason: ExitReason, in context: ProcessContext<Message>) {}
}
