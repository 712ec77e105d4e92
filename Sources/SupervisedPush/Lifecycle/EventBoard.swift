import ProcessRuntime
import PushLocking

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
