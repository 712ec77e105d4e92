import FoundationEssentials
import ProcessRuntime

/// A mailbox that a ``LifecycleHub`` posts to.
enum LifecycleReader: Sendable {
    /// A mailbox of the user, or of a caller that waits.
    case messages(Mailbox<LifecycleMessage>)
    /// The mailbox of an iterator over events.
    case events(Mailbox<ConnectionEventItem>)

    var id: ObjectIdentifier {
        switch self {
        case .messages(let mailbox): ObjectIdentifier(mailbox)
        case .events(let mailbox): ObjectIdentifier(mailbox)
        }
    }

    /// Appends the message and wakes nobody.
    func put(_ message: LifecycleMessage, name: String?, at time: Date) {
        switch self {
        case .messages(let mailbox): mailbox.put(message)
        case .events(let mailbox): mailbox.put(.event(ConnectionEvent(message, name: name, time: time)))
        }
    }

    /// Serves those who wait for what was put.
    func wake() {
        switch self {
        case .messages(let mailbox): mailbox.wake()
        case .events(let mailbox): mailbox.wake()
        }
    }

    func close() {
        switch self {
        case .messages(let mailbox): mailbox.close()
        case .events(let mailbox): mailbox.close()
        }
    }
}

/// A ``LifecycleReader`` that is not kept alive.
enum WeakLifecycleReader: Sendable {
    case messages(WeakMailbox<LifecycleMessage>)
    case events(WeakMailbox<ConnectionEventItem>)

    init(_ reader: LifecycleReader) {
        self =
            switch reader {
            case .messages(let mailbox): .messages(WeakMailbox(mailbox))
            case .events(let mailbox): .events(WeakMailbox(mailbox))
            }
    }

    /// The mailbox, if it still exists. See ``WeakMailbox/strong``.
    var strong: LifecycleReader? {
        switch self {
        case .messages(let mailbox): mailbox.strong.map { .messages($0) }
        case .events(let mailbox): mailbox.strong.map { .events($0) }
        }
    }

    /// Whether the mailbox is closed or released.
    var isClosed: Bool {
        switch self {
        case .messages(let mailbox): mailbox.isClosed
        case .events(let mailbox): mailbox.isClosed
        }
    }
}
