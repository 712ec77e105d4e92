import FoundationEssentials
import ProcessRuntime

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
