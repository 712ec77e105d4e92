/// What a ``Mailbox`` can hold.
public protocol MailboxMessage: Sendable {
    /// The message that stands where `count` others were dropped, because the mailbox was full.
    static func overflowed(_ count: Int) -> Self
}
