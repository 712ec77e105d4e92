import PushLocking

/// Calls the feedback handler for one event after the other, in a task of its own. A handler that is slow, blocks,
/// throws or calls the runtime does no harm. At most 10,000 events wait for it, and as many for the completions that come
/// before them. Beyond that, the newest are dropped, counted and reported.
final class FeedbackDelivery: Sendable {
    private enum Message: MailboxMessage {
        case event(FeedbackEvent)
        case overflowed(_ count: Int)
    }

    static let limit = 10_000

    private let mailbox = Mailbox<Message>(limit: FeedbackDelivery.limit)
    private let losses = Locked(FeedbackLosses())
    /// How many events wait for completions.
    private let underWay = Locked(0)
    private let onOverflow: @Sendable (Int) -> Void

    init(
        handler: @escaping PushConnection.Configuration.FeedbackHandler,
        onFailure: @escaping @Sendable (any Error) -> Void,
        onOverflow: @escaping @Sendable (Int) -> Void
    ) {
        self.onOverflow = onOverflow
        Task(executorPreference: QueueExecutor(label: "push.feedback")) { [mailbox, losses] in
            for await message in mailbox {
                switch message {
                case .event(let event):
                    do { try await handler(event) } catch { onFailure(error) }
                case .overflowed: Self.caughtUp(losses, onOverflow: onOverflow)
                }
            }
        }
    }

    /// The events that may wait for completions, to be posted after them.
    func admit(_ events: [FeedbackEvent]) -> ArraySlice<FeedbackEvent> {
        let admitted = underWay.withLock { underWay in
            let admitted = events.prefix(Self.limit - underWay)
            underWay += admitted.count
            return admitted
        }
        for _ in admitted.count..<events.count { lost() }
        return admitted
    }

    func post(admitted events: ArraySlice<FeedbackEvent>) {
        guard !events.isEmpty else { return }
        for event in events { post(event) }
        let isLast = underWay.withLock { underWay in
            underWay -= events.count
            return underWay == 0
        }
        if isLast { Self.caughtUp(losses, onOverflow: onOverflow) }
    }

    func post(_ event: FeedbackEvent) {
        if !mailbox.post(.event(event)), !mailbox.isClosed { lost() }
    }

    private static func caughtUp(_ losses: Locked<FeedbackLosses>, onOverflow: (Int) -> Void) {
        let count = losses.withLock { $0.caughtUp() }
        if count > 0 { onOverflow(count) }
    }

    private func lost() {
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
