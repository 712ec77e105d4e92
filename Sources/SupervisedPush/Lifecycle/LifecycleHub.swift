import FoundationEssentials
import ProcessRuntime
import PushLocking

/// Publishes where a connection or a pool stands, and passes its lifecycle messages to its owner and its subscribers,
/// in order.
///
/// Both are under one lock, so that a subscriber's `current` agrees with the messages that follow. Phase, generation
/// and latest pid are stored here alone; whoever else shows them reads them here.
///
/// Under its lock messages are only put into mailboxes. Whatever can run foreign code – waking a receiver, releasing a
/// mailbox – happens with the lock free.
final class LifecycleHub: Sendable {
    typealias Box = Mailbox<LifecycleMessage>

    private struct Subscriber {
        let id: ObjectIdentifier
        let mailbox: WeakMailbox<LifecycleMessage>
        /// True for one that is ours, of a caller who waits: it is closed when the connection ends.
        let isCaller: Bool

        init(_ mailbox: Box, isCaller: Bool = false) {
            id = ObjectIdentifier(mailbox)
            self.mailbox = WeakMailbox(mailbox)
            self.isCaller = isCaller
        }
    }

    private struct State {
        /// Where it stands; its phase is nil once it has ended, and that of a pool is its members'.
        var standing = Standing()
        var subscribers: [Subscriber] = []
        /// From how many subscribers on those are looked for that have gone.
        var crowd = 64
        /// Tells when the owner's mailbox goes.
        var ownerWatch: MailboxCloseReference?
        /// Who asks by itself where the connection stands, whenever that may have changed.
        var watchers: [(id: Int, call: @Sendable () -> Void)] = []
        var lastWatcher = 0

        /// The mailboxes that exist; those that were closed or released are forgotten. Whoever asks keeps them until
        /// the lock is free, because releasing the last reference closes a mailbox.
        mutating func readers() -> [Box] {
            let mailboxes = subscribers.compactMap(\.mailbox.strong)
            subscribers.removeAll(where: \.mailbox.isClosed)
            crowd = max(64, 2 * subscribers.count)
            return mailboxes
        }

        /// Where it stands now, seen with its messages.
        ///
        /// - Parameter members: The connections of a pool, which the caller keeps until the lock is free.
        func standing(_ members: [ConnectionEntry]?) -> Standing {
            guard let members else { return standing }
            var standing = standing
            standing.follow(members.map(\.hub.standing))
            return standing
        }
    }

    private let state = Locked(State())
    private let time: any TimeSource
    private let owner: WeakMailbox<LifecycleMessage>?
    /// The hub of the pool it belongs to, which hears what concerns the pool's subscribers.
    private let relay: LifecycleHub?
    /// The connections of a pool.
    private let members: (@Sendable () -> [ConnectionEntry])?

    /// - Parameter members: The connections of a pool, by whose phases it stands; nil for a connection. Called with the
    ///   lock held.
    init(
        owner: Box?, time: any TimeSource, relay: LifecycleHub? = nil,
        members: (@Sendable () -> [ConnectionEntry])? = nil
    ) {
        self.time = time
        self.relay = relay
        self.members = members
        self.owner = owner.map(WeakMailbox.init)
        if let owner { state.withLock { $0.subscribers.append(Subscriber(owner)) } }
    }

    /// Where the connection or the pool stands.
    var standing: Standing {
        var members: [ConnectionEntry]?
        let standing = state.withLock { state in
            members = self.members?()
            return state.standing(members)
        }
        withExtendedLifetime(members) {}
        return standing
    }

    /// The phase of the standing; nil once the connection or the pool has ended.
    var phase: ConnectionPhase? { standing.phase }

    /// The live process, or the last one; nil before the first.
    var pid: ProcessID? { state.withLock { $0.standing.pid } }

    /// How many mailboxes it posts to, those included that have gone unnoticed.
    var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// The mailbox gets where the connection stands now, then everything that follows; false if the connection ended.
    ///
    /// - Parameter isCaller: Whether the mailbox is to be closed when the connection ends. Who says so unsubscribes it.
    func subscribe(_ mailbox: Box, isCaller: Bool = false) -> Bool {
        var members: [ConnectionEntry]?
        let (isSubscribed, others) = state.withLock { state -> (Bool, [Box]) in
            members = self.members?()
            let standing = state.standing(members)
            guard let phase = standing.phase, let pid = standing.pid else { return (false, []) }
            let others = state.subscribers.count >= state.crowd ? state.readers() : []
            mailbox.put(.current(phase: phase, pid: pid, generation: standing.generation))
            state.subscribers.append(Subscriber(mailbox, isCaller: isCaller))
            return (true, others)
        }
        withExtendedLifetime((others, members)) {}
        if isSubscribed { mailbox.wake() }
        return isSubscribed
    }

    /// The mailbox gets nothing more.
    func unsubscribe(_ mailbox: Box) {
        let id = ObjectIdentifier(mailbox)
        state.withLock { state in state.subscribers.removeAll { $0.id == id } }
    }

    /// Calls whenever the phase may have changed, and when the connection ends, on the thread that brings the change
    /// and before anybody's mailbox tells of it. The phase of a pool may change with that of each connection. The call
    /// must not block. Until `unwatch`, or the end.
    ///
    /// - Returns: A number to take it back by; nil if the connection ended.
    func watch(_ call: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            guard state.standing.phase != nil else { return nil }
            state.lastWatcher += 1
            state.watchers.append((state.lastWatcher, call))
            return state.lastWatcher
        }
    }

    func unwatch(_ id: Int) {
        let gone = state.withLock { state in
            state.watchers.firstIndex { $0.id == id }.map { state.watchers.remove(at: $0) }
        }
        // What it holds is released here, with the lock free.
        withExtendedLifetime(gone) {}
    }

    /// A pool has other members: it may stand elsewhere now.
    func membersChanged() { tell(state.withLock { $0.watchers }) }

    func began(_ pid: ProcessID) { change { $0.begin(pid) } }

    /// Where the process stands at the end of a burst: not every change is a message.
    func stands(_ phase: ConnectionPhase, _ generation: Int) { change { $0.note(phase, generation) } }

    /// - Parameter body: Says whether the phase may be another one now.
    private func change(_ body: (inout Standing) -> Bool) {
        let watchers = state.withLock { body(&$0.standing) ? $0.watchers : nil }
        if let watchers { tell(watchers) }
    }

    /// Tells those who watch the phase, and those who watch the pool's.
    private func tell(_ watchers: [(id: Int, call: @Sendable () -> Void)]) {
        for watcher in watchers { watcher.call() }
        guard let relay else { return }
        relay.tell(relay.state.withLock { $0.watchers })
    }

    /// Posts to everybody, and has the connection stand where the message says.
    func post(_ message: LifecycleMessage) {
        deliver(message) { [time] in $0.note(message, Date(time)) }
        // That one connection of several is given up is the pool's business.
        if case .givenUp = message { return }
        relay?.deliver(message) { _ in false }
    }

    /// Mailboxes that were closed or released are forgotten.
    private func deliver(_ message: LifecycleMessage, _ change: (inout Standing) -> Bool) {
        let (mailboxes, watchers) = state.withLock { state in
            let watchers = change(&state.standing) ? state.watchers : nil
            let mailboxes = state.readers()
            for mailbox in mailboxes { mailbox.put(message) }
            return (mailboxes, watchers)
        }
        if let watchers { tell(watchers) }
        for mailbox in mailboxes { mailbox.wake() }
    }

    /// Calls once when the owner's mailbox is closed or released, on whatever thread does that, as long as the
    /// connection lives.
    func whenOwnerGoes(_ call: @escaping @Sendable () -> Void) {
        guard let mailbox = owner?.strong else { return owner == nil ? () : call() }
        let watch = mailbox.onClose(call)
        let hasEnded = state.withLock { state in
            state.ownerWatch = watch
            return state.standing.phase == nil
        }
        if hasEnded { mailbox.cancelOnClose(watch) }
    }

    /// Hands pushes back to the owner; false if there is none that takes them.
    func handBack(_ message: LifecycleMessage) -> Bool { owner?.post(message) ?? relay?.handBack(message) ?? false }

    /// Posts what concerns the connection as a whole, with its latest pid.
    func post(_ makeMessage: (ProcessID) -> LifecycleMessage) {
        if let pid { post(makeMessage(pid)) }
    }

    func feedbackOverflowed(_ name: String?, _ count: Int) {
        post { .feedbackOverflow(pid: $0, name: name, count: count) }
    }

    /// Nothing follows: the connection is gone for good.
    func end() {
        let (watch, callers, watchers) = state.withLock { state in
            state.standing.phase = nil
            defer { (state.subscribers, state.watchers) = ([], []) }
            return (state.ownerWatch, state.subscribers.filter(\.isCaller), state.watchers)
        }
        tell(watchers)
        for caller in callers { caller.mailbox.strong?.close() }
        if let watch { owner?.strong?.cancelOnClose(watch) }
    }
}
