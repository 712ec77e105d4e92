import Locking

/// Passes a connection's lifecycle messages to its owner and its subscribers, in order.
final class LifecycleHub: Sendable {
    private struct State {
        var phase = ConnectionPhase.dialing
        var pid: ProcessID?
        var generation = 0
        var hasEnded = false
        var subscribers: [Subscriber] = []
        /// Tells when the owner's mailbox goes.
        var ownerWatch: MailboxCloseReference?
    }

    private typealias Subscriber = WeakMailbox<LifecycleMessage>

    private let state = Locked(State())
    private let owner: Subscriber?

    init(owner: Mailbox<LifecycleMessage>?) {
        self.owner = owner.map(WeakMailbox.init)
        if let subscriber = self.owner { state.withLock { $0.subscribers.append(subscriber) } }
    }

    /// The mailbox gets where the connection stands now, then everything that follows; false if the connection ended.
    func subscribe(_ mailbox: Mailbox<LifecycleMessage>) -> Bool {
        state.withLock { state in
            guard !state.hasEnded, let pid = state.pid else { return false }
            _ = mailbox.post(.current(phase: state.phase, pid: pid, generation: state.generation))
            state.subscribers.append(WeakMailbox(mailbox))
            return true
        }
    }

    func began(_ pid: ProcessID) {
        state.withLock {
            $0.pid = pid
            $0.phase = .dialing
            $0.generation = 0
        }
    }

    /// The phase at the end of a burst: not every change is a message.
    func stands(_ phase: ConnectionPhase) { state.withLock { $0.phase = phase } }

    /// Posts to everybody; mailboxes that were closed or released are forgotten.
    func post(_ message: LifecycleMessage, phase: ConnectionPhase? = nil, generation: Int? = nil) {
        // Kept until the lock is free: a mailbox that is released meanwhile runs foreign code.
        let mailboxes = state.withLock { state in
            if let phase { state.phase = phase }
            if let generation { state.generation = generation }
            let mailboxes = state.subscribers.compactMap(\.strong)
            for mailbox in mailboxes { mailbox.post(message) }
            state.subscribers.removeAll(where: \.isClosed)
            return mailboxes
        }
        withExtendedLifetime(mailboxes) {}
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
    func handBack(_ message: LifecycleMessage) -> Bool { owner?.post(message) ?? false }

    func feedbackOverflowed(_ name: String?, _ count: Int) {
        guard let pid = state.withLock({ $0.pid }) else { return }
        post(.feedbackOverflow(pid: pid, name: name, count: count))
    }

    /// Nothing follows: the connection is gone for good.
    func end() {
        let watch = state.withLock {
            $0.hasEnded = true
            $0.subscribers = []
            return $0.ownerWatch
        }
        if let watch { owner?.strong?.cancelOnClose(watch) }
    }
}
