/// What a process does with its messages.
///
/// Every function is called on the queue of the process, one at a time, so a behavior is plain, unsynchronized code
/// with `var`s. It must not block. It need not be Sendable: it is made on the thread that spawns, then belongs to the
/// queue until the process ends, where it is released.
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
    /// What the process is sent.
    associatedtype Message: Sendable

    /// The first call. A throw ends the process with `.failure`. By default does nothing.
    func started(in context: ProcessContext<Message>) throws

    /// Handles one message, in the order they were sent by any one sender. A throw ends the process with `.failure`.
    func receive(_ message: Message, in context: ProcessContext<Message>) throws

    /// Called once at the end of each burst of messages, and of each ``ProcessContext/perform(_:)``: the moment to
    /// write what was gathered. Not called after an exit. A throw ends the process with `.failure`.
    /// By default does nothing.
    func flush(in context: ProcessContext<Message>) throws

    /// Somebody asks the process to end, by ``ProcessSystem/exit(_:_:)`` with a reason other than `.killed`.
    /// By default it does, with that reason.
    func exitRequested(_ reason: ExitReason, in context: ProcessContext<Message>)

    /// The last call, exactly once, however the process ends. A process that is killed before it ran gets only this
    /// one. Here sends to the process itself are already refused. By default does nothing.
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
