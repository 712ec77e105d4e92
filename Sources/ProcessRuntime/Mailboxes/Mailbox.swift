import Dispatch
import PushLocking

/// A bounded queue of messages that user code reads with `await`.
///
/// ```swift
/// let mailbox = Mailbox<LifecycleMessage>()
/// // … pass it to a publisher
/// for await message in mailbox { print(message) }
/// ```
/// Any thread may post; posting never blocks. Any number of tasks may receive. They are served in order of arrival, and
/// each message goes to one of them. A receiver whose task is cancelled gets nil.
///
/// **When the mailbox is full**, new messages are dropped and `.overflowed(count)` takes their place: after the
/// messages that were already there, before the next message that fits.
///
/// **When the mailbox is closed**, it refuses new messages. Receivers can still read what is inside; after that, loops
/// end and receivers get nil. Releasing the mailbox closes it. Closing ends its subscriptions, so
/// a publisher must not keep the mailbox alive: it holds a ``WeakMailbox`` or a `weak` reference. A task that receives
/// keeps the mailbox alive until it has an answer.
public final class Mailbox<Message: MailboxMessage>: AsyncSequence, Sendable {
    private let state: Locked<MailboxState<Message>>
    private let time: any TimeSource
    /// For the timers of receivers with a timeout.
    private let timerQueue = DispatchQueue(label: "mailbox.timers", target: .global(qos: .userInteractive))

    /// Creates an empty mailbox.
    ///
    /// - Parameters:
    ///   - limit: How many messages it holds, each counted by its ``MailboxMessage/weight``. Values below 1 count as 1.
    ///   - time: The clock for timeouts; a ``ManualTime`` in tests.
    public init(limit: Int = 10_000, time: any TimeSource = SystemTime()) {
        state = Locked(MailboxState(limit: Swift.max(1, limit)))
        self.time = time
    }

    deinit {
        close()
    }

    // MARK: Posting

    /// Appends a message.
    ///
    /// - Returns: False if the message was dropped because the mailbox is full or closed.
    @discardableResult
    public func post(_ message: Message) -> Bool {
        let (accepted, isAwaited) = state.withLock { ($0.append(message), $0.hasWaiters) }
        if isAwaited { distribute() }
        return accepted
    }

    /// Appends a message as `post` does, but wakes no receiver. For publishers that keep an order under a lock of their
    /// own, where a receiver's predicate must not run. They call ``wake()`` after they release the lock.
    @discardableResult
    package func put(_ message: Message) -> Bool { state.withLock { $0.append(message) } }

    /// Serves the receivers that wait for messages added with `put`.
    package func wake() { distribute() }

    /// How many messages the mailbox holds.
    public var count: Int { state.withLock { $0.messageCount } }

    /// The messages that are inside, in order. They stay.
    package var contents: [Message] { state.withLock { $0.messages } }

    /// Removes and returns all that is inside, in order.
    package func takeContents() -> [Message] { state.withLock { $0.takeAll() } }

    // MARK: Receiving

    /// Receives the next message.
    ///
    /// - Parameter timeout: How long to wait. Zero or less: do not wait. By default, wait without limit.
    /// - Returns: Nil if the timeout expires, the mailbox is closed and empty, or the task is cancelled.
    public func receive(timeout: Duration? = nil) async -> Message? {
        guard !Task.isCancelled else { return nil }
        switch state.withLock({ $0.takeWithoutWaiting() }) {
        case .content(let content): return content.message
        case .ended: return nil
        case .mustWait: break
        }
        if let timeout, timeout <= .zero { return nil }
        return await wait(timeout: timeout, where: nil)
    }

    /// Receives the first message that satisfies `wants`. All others stay, in order, for other receivers.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait. Zero or less: look only at messages already inside. By default, wait without
    ///     limit.
    ///   - wants: Called once per message until it returns true. It may run on any thread, including a poster's, so it
    ///     must be short and must not receive from this mailbox.
    /// - Returns: Nil if the timeout expires, the mailbox is closed and holds no such message, or the task is
    ///   cancelled.
    public func receive(
        timeout: Duration? = nil, where wants: @escaping @Sendable (Message) -> Bool
    ) async -> Message? {
        guard !Task.isCancelled else { return nil }
        return await wait(timeout: timeout, where: wants)
    }

    private func wait(timeout: Duration?, where wants: (@Sendable (Message) -> Bool)?) async -> Message? {
        let id = state.withLock { $0.nextNumber() }
        let deadline = timeout.map { time.now.advanced(by: $0) }
        let timer = deadline.map { _ in time.makeTimer(on: timerQueue) { [weak self] in self?.stopWaiting(id) } }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withHandOver { receiver in
                state.withLock { $0.wait(.init(id: id, wants: wants, receiver: receiver)) }
                distribute()
                // `onCancel` may have run before the waiter was registered.
                if Task.isCancelled { stopWaiting(id) }
                if let deadline { timer?.arm(at: deadline) }
            }
        } onCancel: {
            stopWaiting(id)
        }
    }

    private func stopWaiting(_ id: UInt64) {
        state.withLock { $0.removeWaiter(id) }?.receiver.resume(returning: nil)
    }

    /// Matches messages with receivers until there is nothing to do. Releases the lock between the steps.
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

    /// Refuses messages from now on and ends the subscriptions. Closing a closed mailbox does nothing.
    public func close() {
        let handlers = state.withLock { state in
            defer { state.closeHandlers = [] }
            state.close()
            return state.closeHandlers
        }
        distribute()
        for handler in handlers { handler.run() }
    }

    /// Whether the mailbox is closed.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Runs `handler` once, when the mailbox is closed or released; at once if it is closed already. Publishers use it
    /// to end a subscription.
    ///
    /// - Parameter handler: Runs on the thread that closes or releases. It must not keep the mailbox alive, because the
    ///   mailbox would then never be released.
    /// - Returns: A reference for ``cancelOnClose(_:)``, in case the subscription ends first.
    @discardableResult
    package func onClose(_ handler: @escaping @Sendable () -> Void) -> MailboxCloseReference {
        let (reference, isClosed) = state.withLock { state in
            let reference = MailboxCloseReference(number: state.nextNumber())
            if !state.isClosed { state.closeHandlers.append((reference, handler)) }
            return (reference, state.isClosed)
        }
        if isClosed { handler() }
        return reference
    }

    /// Removes a close handler.
    package func cancelOnClose(_ reference: MailboxCloseReference) {
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

    /// Creates a reader of this mailbox. Several readers share the messages.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(mailbox: self)
    }
}

/// A message that a ``Mailbox`` can hold.
public protocol MailboxMessage: Sendable {
    /// The message that takes the place of `count` messages dropped by a full mailbox.
    static func overflowed(_ count: Int) -> Self

    /// How much of the mailbox's limit the message uses; 1 by default. For messages that carry many items. A mailbox
    /// accepts a message as long as its contents weigh less than its limit.
    var weight: Int { get }
}

extension MailboxMessage {
    /// 1.
    public var weight: Int { 1 }
}

/// Identifies a handler that was passed to ``Mailbox/onClose(_:)``, so that it can be removed.
package struct MailboxCloseReference: Hashable, Sendable {
    let number: UInt64
}

/// Posts into a mailbox without keeping it alive. Publishers hold one for each subscriber.
public struct WeakMailbox<Message: MailboxMessage>: @unchecked Sendable {
    // Sendable: the weak reference is never written after `init`, and reading it is thread-safe.
    private weak var mailbox: Mailbox<Message>?

    /// Creates a weak reference to `mailbox`.
    public init(_ mailbox: Mailbox<Message>) {
        self.mailbox = mailbox
    }

    /// Posts a message. Returns false in the cases of ``Mailbox/post(_:)``, and if the mailbox was released.
    @discardableResult
    public func post(_ message: Message) -> Bool {
        mailbox?.post(message) ?? false
    }

    /// The mailbox, if it still exists. A caller that holds a lock must release this reference after the lock:
    /// releasing the last reference closes the mailbox, which calls its `onClose` handlers.
    package var strong: Mailbox<Message>? { mailbox }

    /// Whether the mailbox is closed or released.
    public var isClosed: Bool { mailbox?.isClosed ?? true }
}
