import Locking

/// Passes a connection's lifecycle messages to its owner and its subscribers, in order.
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
        var phase = ConnectionPhase.dialing
        var pid: ProcessID?
        var generation = 0
        var hasEnded = false
        var subscribers: [Subscriber] = []
        /// From how many subscribers on those are looked for that have gone.
        var crowd = 64
        /// Tells when the owner's mailbox goes.
        var ownerWatch: MailboxCloseReference?
        /// Who asks by itself where the connection stands, whenever that may have changed.
        var watchers: [(id: Int, call: @Sendable () -> Void)] = []
        var lastWatcher = 0

        /// The mailboxes that exist; those that were closed or released are forgotten. Whoever asks keeps them until the lock
        /// is free, because releasing the last reference closes a mailbox.
        mutating func readers() -> [Box] {
            let mailboxes = subscribers.compactMap(\.mailbox.strong)
            subscribers.removeAll(where: \.mailbox.isClosed)
            crowd = max(64, 2 * subscribers.count)
            return mailboxes
        }
    }

    private let state = Locked(State())
    private let owner: WeakMailbox<LifecycleMessage>?
    /// The hub of the pool it belongs to, which hears what concerns the pool's subscribers.
    private let relay: LifecycleHub?

    init(owner: Box?, relay: LifecycleHub? = nil) {
        self.relay = relay
        self.owner = owner.map(WeakMailbox.init)
        if let owner { state.withLock { $0.subscribers.append(Subscriber(owner)) } }
    }

    /// Where the connection stands; nil once it has ended.
    var phase: ConnectionPhase? { state.withLock { $0.hasEnded ? nil : $0.phase } }

    /// How many mailboxes it posts to, those included that have gone unnoticed.
    var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// The mailbox gets where the connection stands now, then everything that follows; false if the connection ended.
    ///
    /// - Parameter isCaller: whether the mailbox is to be closed when the connection ends. Who says so unsubscribes it.
    func subscribe(_ mailbox: Box, isCaller: Bool = false) -> Bool {
        let (isSubscribed, others) = state.withLock { state -> (Bool, [Box]) in
            guard !state.hasEnded, let pid = state.pid else { return (false, []) }
            let others = state.subscribers.count >= state.crowd ? state.readers() : []
            mailbox.put(.current(phase: state.phase, pid: pid, generation: state.generation))
            state.subscribers.append(Subscriber(mailbox, isCaller: isCaller))
            return (true, others)
        }
        withExtendedLifetime(others) {}
        if isSubscribed { mailbox.wake() }
        return isSubscribed
    }

    /// The mailbox gets nothing more.
    func unsubscribe(_ mailbox: Box) {
        let id = ObjectIdentifier(mailbox)
        state.withLock { state in state.subscribers.removeAll { $0.id == id } }
    }

    /// Calls whenever the phase may have changed, and when the connection ends, on the thread that brings the change and
    /// before anybody's mailbox tells of it. The call must not block. Until `unwatch`, or the end.
    ///
    /// - Returns: a number to take it back by; nil if the connection ended.
    func watch(_ call: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.lastWatcher += 1
            state.watchers.append((state.lastWatcher, call))
            return state.lastWatcher
        }
    }

    func unwatch(_ id: Int) { state.withLock { state in state.watchers.removeAll { $0.id == id } } }

    func began(_ pid: ProcessID) {
        tellWatchers {
            $0.pid = pid
            $0.phase = .dialing
            $0.generation = 0
        }
    }

    /// The phase at the end of a burst: not every change is a message.
    func stands(_ phase: ConnectionPhase) { tellWatchers { $0.phase = phase } }

    private func tellWatchers(_ change: (inout State) -> Void) {
        let watchers = state.withLock { state in
            change(&state)
            return state.watchers
        }
        for watcher in watchers { watcher.call() }
    }

    /// Posts to everybody; mailboxes that were closed or released are forgotten.
    func post(_ message: LifecycleMessage, phase: ConnectionPhase? = nil, generation: Int? = nil) {
        let (mailboxes, watchers) = state.withLock { state in
            if let phase { state.phase = phase }
            if let generation { state.generation = generation }
            let mailboxes = state.readers()
            for mailbox in mailboxes { mailbox.put(message) }
            return (mailboxes, phase == nil ? [] : state.watchers)
        }
        for watcher in watchers { watcher.call() }
        for mailbox in mailboxes { mailbox.wake() }
        // That one connection of several is given up is the pool's business.
        if case .givenUp = message { return }
        relay?.post(message)
    }

    /// Calls once when the owner's mailbox is closed or released, on whatever thread does that, as long as the connection
    /// lives.
    func whenOwnerGoes(_ call: @escaping @Sendable () -> Void) {
        guard let mailbox = owner?.strong else { return owner == nil ? () : call() }
        let watch = mailbox.onClose(call)
        let hasEnded = state.withLock { state in
            state.ownerWatch = watch
            return state.hasEnded
        }
        if hasEnded { mailbox.cancelOnClose(watch) }
    }

    /// Hands pushes back to the owner; false if there is none that takes them.
    func handBack(_ message: LifecycleMessage) -> Bool { owner?.post(message) ?? relay?.handBack(message) ?? false }

    /// Posts what concerns the connection as a whole, with its latest pid.
    func post(_ makeMessage: (ProcessID) -> LifecycleMessage) {
        guard let pid = state.withLock({ $0.pid }) else { return }
        post(makeMessage(pid))
    }

    func feedbackOverflowed(_ name: String?, _ count: Int) {
        post { .feedbackOverflow(pid: $0, name: name, count: count) }
    }

    /// Nothing follows: the connection is gone for good.
    func end() {
        let (watch, callers, watchers) = state.withLock { state in
            state.hasEnded = true
            defer { (state.subscribers, state.watchers) = ([], []) }
            return (state.ownerWatch, state.subscribers.filter(\.isCaller), state.watchers)
        }
        for watcher in watchers { watcher.call() }
        for caller in callers { caller.mailbox.strong?.close() }
        if let watch { owner?.strong?.cancelOnClose(watch) }
    }
}
