/// A way to post into a mailbox without keeping it: what a publisher holds of its subscribers.
public struct WeakMailbox<Message: MailboxMessage>: @unchecked Sendable {
    // Sendable, because the weak reference is never written after `init`, and reading one is thread-safe.
    private weak var mailbox: Mailbox<Message>?

    /// Refers to `mailbox` as long as somebody else keeps it.
    public init(_ mailbox: Mailbox<Message>) {
        self.mailbox = mailbox
    }

    /// Posts, if the mailbox still exists. False as for ``Mailbox/post(_:)``, or if it was released.
    @discardableResult
    public func post(_ message: Message) -> Bool {
        mailbox?.post(message) ?? false
    }

    /// The mailbox, as long as somebody else keeps it. Who holds a lock lets go of it after the lock: releasing the last
    /// reference closes the mailbox, which calls its ``Mailbox/onClose(_:)`` handlers.
    package var strong: Mailbox<Message>? { mailbox }

    /// Whether nobody can read there any more: the mailbox is closed or released.
    public var isClosed: Bool { mailbox?.isClosed ?? true }
}
