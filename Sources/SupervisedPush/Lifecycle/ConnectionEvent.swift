import FoundationEssentials
import ProcessRuntime

/// What happened to a connection, and when.
///
/// ```swift
/// for await event in orders.events {
///     if case .suspended(_, _, let cause, _) = event.kind { print("\(event.name ?? "-"): \(cause)") }
/// }
/// ```
/// ``PushConnection/events`` gives those of one connection or pool, ``PushRuntime/events`` those of all.
public struct ConnectionEvent: Sendable, CustomStringConvertible {
    /// What can happen.
    public typealias Kind = LifecycleMessage

    /// The name of the connection, or that of its pool. Nil for an anonymous connection. An `overflowed` of
    /// ``PushRuntime/events`` belongs to no single connection and has no name.
    public let name: String?
    /// When it happened, by the wall clock. For `current`, when the reader began or the process did. For `overflowed`,
    /// when it was read.
    public let time: Date
    /// What happened: the message that a mailbox gets.
    public let kind: Kind

    /// The process it happened to; a pool's connections have one each. Nil for `givenUp`, which comes after the last
    /// process, and for `overflowed`.
    public var pid: ProcessID? { kind.pid }

    /// Creates an event, for tests of code that handles events.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - name: The name of the connection.
    ///   - time: When it happened.
    public init(_ kind: Kind, name: String?, time: Date) {
        self.name = name
        self.time = time
        self.kind = kind
    }

    /// One line, for example `2026-11-22T09:30:00.250Z "orders" <7>: connectionUp, generation 1`. It shows no device
    /// token and no payload.
    public var description: String { "\(time.timestamp) \(kind.line(name: name))" }
}

/// What the mailbox of a reader of events holds.
enum ConnectionEventItem: MailboxMessage {
    case event(ConnectionEvent)
    case overflowed(_ count: Int)
}
