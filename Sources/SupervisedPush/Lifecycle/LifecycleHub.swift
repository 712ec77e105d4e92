import FoundationEssentials
import ProcessRuntime
import PushLocking

/// Publishes the standing of a connection or a pool, and posts its lifecycle messages to its owner and its subscribers,
/// in order.
///
/// One lock guards both, so that a subscriber's `current` agrees with the messages that follow. Phase, generation and
/// latest pid are stored only here; all other code reads them here.
///
/// Under the lock, messages are only put into mailboxes. Anything that can run a caller's code (waking a receiver,
/// releasing a mailbox) happens without the lock.
final class LifecycleHub: Sendable {
    typealias Box = Mailbox<LifecycleMessage>

    private struct Subscriber {
        let id: ObjectIdentifier
        let mailbox: WeakLifecycleReader
        /// True for an internal mailbox: it is closed when the connection ends.
        let closesAtEnd: Bool
        /// True while it waits for the first process: a connection of a pool can be watched before that.
        var awaitsStanding: Bool

        init(_ mailbox: LifecycleReader, closesAtEnd: Bool = false, awaitsStanding: Bool = false) {
            id = mailbox.id
            self.mailbox = WeakLifecycleReader(mailbox)
            self.closesAtEnd = closesAtEnd
            self.awaitsStanding = awaitsStanding
        }
    }

    private struct State {
        /// The standing. Its phase is nil after the end. A pool's phase follows from its members.
        var standing = Standing()
        var subscribers: [Subscriber] = []
        /// The number of subscribers from which to look for released ones.
        var crowd = 64
        /// Reports that the owner's mailbox is gone.
        var ownerWatch: MailboxCloseReference?
        /// Called whenever the standing may have changed; they read it themselves.
        var watchers: [(id: Int, call: @Sendable () -> Void)] = []
        var lastWatcher = 0

        /// The mailboxes that exist. Closed and released ones are removed. The caller keeps the result until the lock
        /// is free, because releasing the last reference closes a mailbox.
        mutating func readers() -> [LifecycleReader] {
            let mailboxes = subscribers.compactMap(\.mailbox.strong)
            subscribers.removeAll(where: \.mailbox.isClosed)
            crowd = max(64, 2 * subscribers.count)
            return mailboxes
        }

        /// Puts the standing into the mailboxes that wait for the first process, and returns them.
        mutating func greetAwaiting(_ pid: ProcessID, name: String?, at time: Date) -> [LifecycleReader] {
            guard let phase = standing.phase else { return [] }
            var greeted: [LifecycleReader] = []
            for index in subscribers.indices where subscribers[index].awaitsStanding {
                subscribers[index].awaitsStanding = false
                guard let mailbox = subscribers[index].mailbox.strong else { continue }
                mailbox.put(.current(phase: phase, pid: pid, generation: standing.generation), name: name, at: time)
                greeted.append(mailbox)
            }
            return greeted
        }

        /// The standing now, consistent with the messages.
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
    /// The name of the connection or the pool, for events.
    let name: String?
    private let time: any TimeSource
    private let owner: WeakMailbox<LifecycleMessage>?
    /// The hub of the pool it belongs to, which receives what concerns the pool's subscribers.
    private let relay: LifecycleHub?
    /// The connections of a pool.
    private let members: (@Sendable () -> [ConnectionEntry])?

    /// - Parameter members: The connections of a pool, whose phases determine the pool's; nil for a connection. Called
    ///   with the lock held.
    init(
        name: String?, owner: Box?, time: any TimeSource, relay: LifecycleHub? = nil,
        members: (@Sendable () -> [ConnectionEntry])? = nil
    ) {
        self.name = name
        self.time = time
        self.relay = relay
        self.members = members
        self.owner = owner.map(WeakMailbox.init)
        if let owner { state.withLock { $0.subscribers.append(Subscriber(.messages(owner))) } }
    }

    /// The standing of the connection or the pool.
    var standing: Standing {
        var members: [ConnectionEntry]?
        let standing = state.withLock { state in
            members = self.members?()
            return state.standing(members)
        }
        withExtendedLifetime(members) {}
        return standing
    }

    /// The phase; nil once the connection or the pool has ended.
    var phase: ConnectionPhase? { standing.phase }

    /// The live process, or the last one; nil before the first.
    var pid: ProcessID? { state.withLock { $0.standing.pid } }

    /// The number of mailboxes it posts to, including released ones that have not been noticed yet.
    var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// The mailbox gets the standing, then every message that follows. False if the connection has ended. Before the
    /// first process, the standing comes when that begins.
    ///
    /// - Parameter closesAtEnd: Whether to close the mailbox when the connection ends. The caller must unsubscribe it.
    func subscribe(_ mailbox: Box, closesAtEnd: Bool = false) -> Bool {
        subscribe(.messages(mailbox), closesAtEnd: closesAtEnd)
    }

    /// As for a mailbox of messages. A mailbox of events is subscribed once.
    func subscribe(_ mailbox: LifecycleReader, closesAtEnd: Bool = false) -> Bool {
        let (id, time) = (mailbox.id, Date(time))
        var members: [ConnectionEntry]?
        let (isSubscribed, others) = state.withLock { state -> (Bool, [LifecycleReader]) in
            if case .events = mailbox, state.subscribers.contains(where: { $0.id == id }) { return (true, []) }
            members = self.members?()
            let standing = state.standing(members)
            guard let phase = standing.phase else { return (false, []) }
            let others = state.subscribers.count >= state.crowd ? state.readers() : []
            if let pid = standing.pid {
                mailbox.put(.current(phase: phase, pid: pid, generation: standing.generation), name: name, at: time)
            }
            state.subscribers.append(
                Subscriber(mailbox, closesAtEnd: closesAtEnd, awaitsStanding: standing.pid == nil))
            return (true, others)
        }
        withExtendedLifetime((others, members)) {}
        if isSubscribed { mailbox.wake() }
        return isSubscribed
    }

    /// The mailbox gets no more messages.
    func unsubscribe(_ mailbox: Box) { unsubscribe(ObjectIdentifier(mailbox)) }

    func unsubscribe(_ id: ObjectIdentifier) {
        state.withLock { state in state.subscribers.removeAll { $0.id == id } }
    }

    /// Calls back whenever the phase may have changed, and when the connection ends: on the thread that causes the
    /// change, and before any mailbox receives the message. The phase of a pool may change with each connection's. The
    /// call must not block. Until `unwatch`, or the end.
    ///
    /// - Returns: A number for `unwatch`; nil if the connection has ended.
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
        // Released here, without the lock.
        withExtendedLifetime(gone) {}
    }

    /// The pool's members changed, so its phase may have changed.
    func membersChanged() { notify(state.withLock { $0.watchers }) }

    func began(_ pid: ProcessID) {
        let time = Date(time)
        let (watchers, greeted) = state.withLock { state in
            let watchers = state.standing.begin(pid) ? state.watchers : nil
            return (watchers, state.greetAwaiting(pid, name: name, at: time))
        }
        if let watchers { notify(watchers) }
        for mailbox in greeted { mailbox.wake() }
    }

    /// The process's phase at the end of a burst. Not every change is a message.
    func stands(_ phase: ConnectionPhase, generation: Int) { change { $0.apply(phase, generation: generation) } }

    /// - Parameter body: Returns whether the phase may have changed.
    private func change(_ body: (inout Standing) -> Bool) {
        let watchers = state.withLock { body(&$0.standing) ? $0.watchers : nil }
        if let watchers { notify(watchers) }
    }

    /// Calls those who watch this phase or the pool's.
    private func notify(_ watchers: [(id: Int, call: @Sendable () -> Void)]) {
        for watcher in watchers { watcher.call() }
        guard let relay else { return }
        relay.notify(relay.state.withLock { $0.watchers })
    }

    /// Posts to every mailbox, and updates the standing.
    func post(_ message: LifecycleMessage) {
        let now = Date(time)
        deliver(message, at: now) { $0.apply(message, now) }
        // If a pool's connection is given up, the pool handles it.
        if case .givenUp = message { return }
        relay?.deliver(message, at: now) { _ in false }
    }

    /// Closed and released mailboxes are removed.
    private func deliver(_ message: LifecycleMessage, at time: Date, _ change: (inout Standing) -> Bool) {
        let (mailboxes, watchers) = state.withLock { state in
            let watchers = change(&state.standing) ? state.watchers : nil
            let mailboxes = state.readers()
            for mailbox in mailboxes { mailbox.put(message, name: name, at: time) }
            return (mailboxes, watchers)
        }
        if let watchers { notify(watchers) }
        for mailbox in mailboxes { mailbox.wake() }
    }

    /// Calls back once when the owner's mailbox is closed or released, on the thread that does so, as long as the
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

    /// Hands pushes back to the owner; false if no mailbox takes them.
    func handBack(_ message: LifecycleMessage) -> Bool { owner?.post(message) ?? relay?.handBack(message) ?? false }

    /// Posts a message about the connection as a whole, with its latest pid.
    func post(_ makeMessage: (ProcessID) -> LifecycleMessage) {
        if let pid { post(makeMessage(pid)) }
    }

    func feedbackOverflowed(_ name: String?, count: Int) {
        post { .feedbackOverflow(pid: $0, name: name, count: count) }
    }

    /// No more messages: the connection has ended.
    func end() {
        let (watch, readers, watchers) = state.withLock { state in
            state.standing.phase = nil
            defer { (state.subscribers, state.watchers) = ([], []) }
            return (state.ownerWatch, state.subscribers.filter(\.closesAtEnd), state.watchers)
        }
        notify(watchers)
        for reader in readers { reader.mailbox.strong?.close() }
        if let watch { owner?.strong?.cancelOnClose(watch) }
    }
}
