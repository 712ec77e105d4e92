import FoundationEssentials
import ProcessRuntime
import PushLocking

/// The events of a connection, or of all connections of a runtime, as they happen: an asynchronous sequence of
/// ``ConnectionEvent``.
///
/// ```swift
/// for await event in runtime.events {
///     print(event)
/// }
/// ```
/// **Every iterator gets all events**, from when it is made, in a mailbox of its own. Any thread may make one.
///
/// **The first event of a connection is `current`**, so a reader that comes late learns at once whether the connection
/// is up: later events report changes. It comes when the iterator is made. If the connection has no process yet, it
/// comes when that begins. Events from before are not repeated: `current` with the phase `up` stands for the
/// `connectionUp` that the reader missed. The events of one connection arrive in the order in which they happened.
///
/// **A slow reader** has room for 10,000 events. After that the newest are dropped, and `overflowed` in their place says
/// how many; ``PushConnection/status`` then says where the connection stands.
///
/// **The sequence ends** with its connection, or after the shutdown of its runtime, once all earlier events are read.
/// It also ends when the runtime is released; it does not keep the runtime alive. If the connection has already ended,
/// it is empty. Cancelling the task ends the loop. Leaving the loop releases the iterator, which ends its subscription.
///
/// `handedBack` is not among the events: pushes go back to one owner, whose mailbox gets them. See
/// ``PushRuntime/connect(name:config:owner:)``.
public struct ConnectionEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ConnectionEvent
    /// Following events does not fail.
    public typealias Failure = Never

    enum Source {
        /// Nil if the connection has ended.
        case connection(LifecycleHub?)
        case runtime(EventBoard)
    }

    let source: Source
    let time: any TimeSource

    /// Starts following.
    public func makeAsyncIterator() -> Iterator {
        switch source {
        case .connection(let hub):
            Iterator(mailbox: Self.follow(hub), name: hub?.name, time: time)
        case .runtime(let board):
            Iterator(mailbox: board.follow(), name: nil, time: time)
        }
    }

    private static func follow(_ hub: LifecycleHub?) -> Mailbox<ConnectionEventItem> {
        let mailbox = Mailbox<ConnectionEventItem>()
        let id = ObjectIdentifier(mailbox)
        mailbox.onClose { [weak hub] in hub?.unsubscribe(id) }
        if hub?.subscribe(.events(mailbox), closesAtEnd: true) != true { mailbox.close() }
        return mailbox
    }

    /// Waits for the next event.
    public struct Iterator: AsyncIteratorProtocol {
        /// An event.
        public typealias Element = ConnectionEvent
        /// Following events does not fail.
        public typealias Failure = Never

        /// Only the iterator keeps it: releasing the iterator ends the subscription.
        let mailbox: Mailbox<ConnectionEventItem>
        let name: String?
        let time: any TimeSource

        /// The next event; nil at the end, or if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ConnectionEvent? {
            switch await mailbox.receive() {
            case .event(let event): event
            case .overflowed(let count): ConnectionEvent(.overflowed(count), name: name, time: Date(time))
            case nil: nil
            }
        }
    }
}

extension PushConnection {
    /// What happens to the connection from now on, in every task that loops over it. The first event is `current`.
    ///
    /// ```swift
    /// for await event in orders.events {
    ///     print(event)
    /// }
    /// ```
    /// Those of a pool are the events of all its connections. The loop goes on across restarts, and ends with the
    /// connection. If the process that this handle means has ended, there are no events. See ``ConnectionEvents``.
    public var events: ConnectionEvents {
        ConnectionEvents(source: .connection((try? served())?.hub), time: runtime.system.time)
    }
}

extension PushRuntime {
    /// What happens to all connections and pools, also to those that begin later. Each begins with `current`.
    ///
    /// ```swift
    /// for await event in runtime.events {
    ///     print(event)
    /// }
    /// ```
    /// The loop ends after the runtime's shutdown. See ``ConnectionEvents``.
    public var events: ConnectionEvents { ConnectionEvents(source: .runtime(board), time: system.time) }
}

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

/// The readers of the events of all connections of a runtime. Each reader's mailbox is subscribed to every connection
/// and pool, so that events cost nothing more while nobody reads here.
final class EventBoard: Sendable {
    private struct State {
        var readers: [ObjectIdentifier: WeakMailbox<ConnectionEventItem>] = [:]
        var isOver = false
    }

    private let state = Locked(State())
    private let registry: Registry

    init(_ registry: Registry) { self.registry = registry }

    /// The number of mailboxes.
    var readerCount: Int { state.withLock { $0.readers.count } }

    /// A mailbox that gets all events from now on; closed after the end. Releasing it ends its subscriptions.
    func follow() -> Mailbox<ConnectionEventItem> {
        let mailbox = Mailbox<ConnectionEventItem>()
        let id = ObjectIdentifier(mailbox)
        mailbox.onClose { [weak self] in self?.forget(id) }
        let isOver = state.withLock { state in
            if !state.isOver { state.readers[id] = WeakMailbox(mailbox) }
            return state.isOver
        }
        guard !isOver else {
            mailbox.close()
            return mailbox
        }
        // A connection that is added at this moment may be introduced as well. Its hub takes the mailbox once.
        for destination in registry.roots { _ = destination.hub.subscribe(.events(mailbox)) }
        return mailbox
    }

    /// Subscribes the readers to a connection or pool that was just added and has no process yet.
    func introduce(_ hub: LifecycleHub) {
        let mailboxes = state.withLock { $0.readers.values.compactMap(\.strong) }
        for mailbox in mailboxes { _ = hub.subscribe(.events(mailbox)) }
    }

    /// No connection follows: the loops end.
    func finish() {
        let mailboxes = state.withLock { state in
            state.isOver = true
            defer { state.readers = [:] }
            return state.readers.values.compactMap(\.strong)
        }
        for mailbox in mailboxes { mailbox.close() }
    }

    private func forget(_ id: ObjectIdentifier) {
        state.withLock { $0.readers[id] = nil }
        for destination in registry.roots { destination.hub.unsubscribe(id) }
    }
}
