import Dispatch
import PushLocking

/// A bounded queue of messages for user code, read by `await`.
///
/// ```swift
/// let mailbox = Mailbox<LifecycleMessage>()
/// // … give it to whoever posts
/// for await message in mailbox { print(message) }
/// ```
/// Any thread may post; posting never blocks. Any number of tasks may receive: they are served in the order in which
/// they came, each message going to one of them. A receiver whose task is cancelled gets nil.
///
/// **When it is full** the newest messages are dropped, and `.overflowed(count)` takes their place: it comes after the
/// messages that were there, and before those posted once there was room again.
///
/// **When it is closed** it refuses new messages; those inside can still be received, then loops end and receivers get
/// nil. Releasing it closes it. Both end its subscriptions, by ``onClose(_:)``. So publishers must not keep a mailbox:
/// they hold a ``WeakMailbox`` (or a `weak` reference). A task that receives keeps it until it has an answer.
public final class Mailbox<Message: MailboxMessage>: AsyncSequence, Sendable {
    private let state: Locked<MailboxState<Message>>
    private let time: any TimeSource
    /// For the timers of receivers with a timeout.
    private let timerQueue = DispatchQueue(label: "mailbox.timers", target: .global(qos: .userInteractive))

    /// An empty mailbox.
    ///
    /// - Parameters:
    ///   - limit: How many messages it holds, each by its ``MailboxMessage/weight``; at least 1, smaller values count
    ///     as 1.
    ///   - time: What timeouts are measured by; a ``ManualTime`` in tests.
    public init(limit: Int = 10_000, time: any TimeSource = SystemTime()) {
        state = Locked(MailboxState(limit: Swift.max(1, limit)))
        self.time = time
    }

    deinit {
        close()
    }

    // MARK: Posting

    /// Puts a message at the end.
    ///
    /// - Returns: False if it was dropped, because the mailbox is full or closed.
    @discardableResult
    public func post(_ message: Message) -> Bool {
        let (accepted, isAwaited) = state.withLock { ($0.append(message), $0.hasWaiters) }
        if isAwaited { distribute() }
        return accepted
    }

    /// Puts a message at the end as `post` does, and wakes nobody: for publishers that keep an order under a lock of their
    /// own, where no receiver's wish may run. ``wake()`` follows with the lock free.
    @discardableResult
    package func put(_ message: Message) -> Bool { state.withLock { $0.append(message) } }

    /// Serves those who wait for what was `put`.
    package func wake() { distribute() }

    /// How many messages wait inside.
    public var count: Int { state.withLock { $0.messageCount } }

    // MARK: Receiving

    /// The next message.
    ///
    /// - Parameter timeout: How long to wait for one; zero or less: not at all. By default, for ever.
    /// - Returns: Nil if the time is over, the mailbox is closed and empty, or the task is cancelled.
    public func receive(timeout: Duration? = nil) async -> Message? {
        guard !Task.isCancelled else { return nil }
        switch state.withLock({ $0.takeImmediately() }) {
        case .content(let content): return content.message
        case .ended: return nil
        case .mustWait: break
        }
        if let timeout, timeout <= .zero { return nil }
        return await wait(timeout: timeout, where: nil)
    }

    /// The first message that satisfies `wants`; all others stay, in order, for other receivers.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for one; zero or less: only what is inside. By default, for ever.
    ///   - wants: Asked once about each message until it says yes. It may run on any thread, also a poster's, so it
    ///     must be short and must not receive from this mailbox.
    /// - Returns: Nil if the time is over, the mailbox is closed and holds no such message, or the task is cancelled.
    public func receive(
        timeout: Duration? = nil, where wants: @escaping @Sendable (Message) -> Bool
    ) async -> Message? {
        guard !Task.isCancelled else { return nil }
        return await wait(timeout: timeout, where: wants)
    }

    private func wait(timeout: Duration?, where wants: (@Sendable (Message) -> Bool)?) async -> Message? {
        let id = state.withLock { $0.nextNumber() }
        let deadline = timeout.map { time.now.advanced(by: $0) }
        let timer = deadline.map { _ in time.makeTimer(on: timerQueue) { [weak self] in self?.giveUp(id) } }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withHandOver { receiver in
                state.withLock { $0.wait(.init(id: id, wants: wants, receiver: receiver)) }
                distribute()
                // The handler below may have run before there was anything to give up.
                if Task.isCancelled { giveUp(id) }
                if let deadline { timer?.arm(at: deadline) }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    private func giveUp(_ id: UInt64) {
        state.withLock { $0.removeWaiter(id) }?.receiver.resume(returning: nil)
    }

    /// Brings messages and receivers together until there is nothing to do, with the lock free in between.
    private func distribute() {
        while let step = state.withLock({ $0.nextStep() }) {
            switch step {
            case .resume(let receiver, let content):
                receiver.resume(returning: content?.message)
            case .scan(let waiter, let entries):
                let match = entries.first { waiter.wants?($0.content.message) ?? true }
                let last = entries.last?.number ?? 0
                let step = state.withLock { $0.finishScan(waiter.id, upTo: last, taking: match?.number) }
                if case .resume(let receiver, let content) = step {
                    receiver.resume(returning: content?.message)
                }
            }
        }
    }

    // MARK: Closing

    /// Refuses messages from now on and ends the subscriptions. Closing again does nothing.
    public func close() {
        let handlers = state.withLock { state in
            defer { state.closeHandlers = [] }
            state.close()
            return state.closeHandlers
        }
        distribute()
        for handler in handlers { handler.run() }
    }

    /// Whether new messages are refused for ever.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Does something once, when the mailbox is closed or released: ends a subscription. At once if it is closed.
    ///
    /// - Parameter handler: Runs on the thread that closes or releases. It must not keep the mailbox, which would
    ///   then never be released.
    /// - Returns: What to give to ``cancelOnClose(_:)`` if the subscription ends before.
    @discardableResult
    public func onClose(_ handler: @escaping @Sendable () -> Void) -> MailboxCloseReference {
        let (reference, isClosed) = state.withLock { state in
            let reference = MailboxCloseReference(number: state.nextNumber())
            if !state.isClosed { state.closeHandlers.append((reference, handler)) }
            return (reference, state.isClosed)
        }
        if isClosed { handler() }
        return reference
    }

    /// Takes a handler back.
    public func cancelOnClose(_ reference: MailboxCloseReference) {
        let removed = state.withLock { state in
            state.closeHandlers.firstIndex { $0.reference == reference }.map { state.closeHandlers.remove(at: $0) }
        }
        _ = removed
    }

    // MARK: AsyncSequence

    /// Reads messages until the mailbox is closed and empty, or the task is cancelled.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let mailbox: Mailbox

        /// The next message; nil at the end.
        public mutating func next() async -> Message? {
            await mailbox.receive()
        }
    }

    /// A reader of this mailbox. Several may exist; they share the messages.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(mailbox: self)
    }
}
