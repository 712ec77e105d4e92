import Dispatch

/// The address of a process: where to send its messages.
///
/// An address may outlive its process; sends then return false. It keeps neither the process nor its behavior alive.
public struct Address<Message: Sendable>: Sendable, Hashable {
    private let cell: ProcessCell<Message>

    init(_ cell: ProcessCell<Message>) {
        self.cell = cell
    }

    /// The process that receives the messages.
    public var pid: ProcessID { cell.pid }

    /// Puts a message into the process's mailbox. May be called from any thread and never blocks. Messages from one
    /// sender keep their order.
    ///
    /// The mailbox is unbounded. If senders do not wait for answers, the owner of the address must limit how much
    /// they send.
    ///
    /// - Returns: False if the process has ended; the message then counts as a dead letter. True does not promise that
    ///   the message is handled, because the process may end first. The message is a dead letter then, too.
    @discardableResult
    public func send(_ message: Message) -> Bool {
        cell.post(message)
    }

    /// Returns once the process has finished what it does now and the messages that it has now; at once after its end.
    package func catchUp() async {
        await withCheckedContinuation { continuation in cell.queue.async { continuation.resume() } }
    }

    /// Whether both are addresses of the same process.
    public static func == (left: Address, right: Address) -> Bool {
        left.pid == right.pid
    }

    /// Hashes the pid.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(pid)
    }
}
