/// Where to send the messages of one process.
///
/// An address may outlive its process; it then refuses. It keeps neither the process running nor its behavior alive.
public struct Address<Message: Sendable>: Sendable, Hashable {
    private let cell: ProcessCell<Message>

    init(_ cell: ProcessCell<Message>) {
        self.cell = cell
    }

    /// The process that receives.
    public var pid: ProcessID { cell.pid }

    /// Puts a message into the process's inbox. From any thread; never blocks; keeps the order of each sender.
    ///
    /// The inbox has no bound: who may send without waiting for an answer must be bounded by whoever hands out the
    /// address.
    ///
    /// - Returns: False if the process has ended; the message is then counted as a dead letter. True is no promise
    ///   that the message is handled: the process may end before its turn (that, too, is a dead letter).
    @discardableResult
    public func send(_ message: Message) -> Bool {
        cell.post(message)
    }

    /// Whether both lead to the same process.
    public static func == (left: Address, right: Address) -> Bool {
        left.pid == right.pid
    }

    /// Hashes the pid.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(pid)
    }
}
