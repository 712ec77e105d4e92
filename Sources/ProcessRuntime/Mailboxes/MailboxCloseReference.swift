/// Names one handler given to ``Mailbox/onClose(_:)``, to take it back.
public struct MailboxCloseReference: Hashable, Sendable {
    let number: UInt64
}
