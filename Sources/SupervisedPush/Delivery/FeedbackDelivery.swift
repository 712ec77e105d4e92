import PushLocking

/// Calls the feedback handler for one event after the other, in a task of its own. A handler that is slow, blocks,
/// throws or calls the runtime does no harm. At most 10,000 events wait; beyond that, the newest are dropped, counted
/// and reported.
final class FeedbackDelivery: Sendable {
    private enum Message: MailboxMessage {
        case event(FeedbackEvent)
        case overflowed(_ count: Int)
    }

    static let limit = 10_000

    private let mailbox = Mailbox<Message>(limit: FeedbackDelivery.limit)
    private let losses = Locked(FeedbackLosses())
    private let onOverflow: @Sendable (Int) -> Void

    init(
        handler: @escaping ConnectionConfig.FeedbackHandler, onFailure: @escaping @Sendable (any Error) -> Void,
        onOverflow: @escaping @Sendable (Int) -> Void
    ) {
        self.onOverflow = onOverflow
        Task(executorPreference: QueueExecutor(label: "push.feedback")) { [mailbox, losses] in
            for await message in mailbox {
                switch message {
                case .event(let event):
                    do { try await handler(event) } catch { onFailure(error) }
                case .overflowed:
                    let count = losses.withLock { $0.caughtUp() }
                    if count > 0 { onOverflow(count) }
                }
            }
        }
    }

    func post(_ event: FeedbackEvent) {
        guard !mailbox.post(.event(event)), !mailbox.isClosed else { return }
        let count = losses.withLock { $0.add() }
        if count > 0 { onOverflow(count) }
    }

    /// The handler still receives earlier events, then its task ends.
    func close() { mailbox.close() }
}

/// Counts dropped events, and says when to report them: the first one at once, because a handler that hangs never
/// catches up, then every thousand, and the rest when it has caught up. The reported numbers add up to all dropped
/// events.
struct FeedbackLosses {
    private var unreported = 0
    private var isRunning = false

    /// Counts one more; returns how many to report now.
    mutating func add() -> Int {
        unreported += 1
        guard !isRunning || unreported >= 1_000 else { return 0 }
        isRunning = true
        return take()
    }

    /// The handler has reached the place where events are missing.
    mutating func caughtUp() -> Int {
        isRunning = false
        return take()
    }

    private mutating func take() -> Int {
        defer { unreported = 0 }
        return unreported
    }
}
