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
