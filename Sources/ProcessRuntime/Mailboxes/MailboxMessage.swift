/// What a ``Mailbox`` can hold.
public protocol MailboxMessage: Sendable {
    /// The message that stands where `count` others were dropped, because the mailbox was full.
    static func overflowed(_ count: Int) -> Self

    /// How much of the mailbox's limit the message takes; 1 by default. For messages that carry many things: a mailbox
    /// takes a message as long as what it holds weighs less than its limit.
    var weight: Int { get }
}

extension MailboxMessage {
    /// 1.
    public var weight: Int { 1 }
}
