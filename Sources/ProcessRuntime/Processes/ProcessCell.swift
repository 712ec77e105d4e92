import DequeModule
import Dispatch
import PushLocking

/// What the system needs of a process whose messages it does not know.
protocol AnyProcessCell: AnyObject, Sendable {
    var isOpen: Bool { get }
    func requestExit(_ reason: ExitReason)
    func interrupt(_ signal: UrgentSignal)
}

/// What overtakes the messages.
enum UrgentSignal {
    case kill
    /// The supervisor's final shutdown: a request like any other, at the next message.
    case exitRequest(ExitReason)
}

/// A process: a serial queue, an inbox, a behavior.
///
/// The first message of a burst schedules one drain; it swaps the inbox for an empty one under the lock and handles
/// what it got without it. Senders pay one lock, one append and, once a burst, one `queue.async`.
/// The system's table holds a cell until the process ends; context and cell hold each other until then.
final class ProcessCell<Message: Sendable>: AnyProcessCell, @unchecked Sendable {
    // Sendable, because every `var` below is touched on `queue` only; the rest is constant or behind a lock.

    let pid: ProcessID
    let queue: DispatchQueue
    let system: ProcessSystem
    private let inbox = Locked(Inbox<Message>())
    /// A lock of its own, so that looking here between messages never meets a sender.
    private let urgent = Locked<UrgentSignal?>(nil)

    private var behavior: (any Behavior<Message>)?
    private var context: ProcessContext<Message>?
    private var batch = Deque<Message>()
    /// What `batch` held when it was taken over.
    private var batchSize = 0
    private var exitRequests = Deque<ExitRequest>()
    private var handledCount = 0
    private var hasStarted = false
    /// A message or a `perform` is being handled: a flush will follow.
    private var isBusy = false
    private var wantedEnd: ExitReason?

    /// Messages a drain handles at most, before other processes get their turn.
    private static var drainLimit: Int { 512 }
    /// Storage for more messages than this is given back after a burst.
    private static var keptCapacity: Int { 1_024 }

    init(pid: ProcessID, label: String, system: ProcessSystem, behavior: any Behavior<Message>) {
        self.pid = pid
        self.system = system
        self.behavior = behavior
        // Without a target the queue would be overcommitted, a thread each; and the pool of `.userInteractive` is
        // apart from the default one, which callers may block.
        queue = DispatchQueue(label: label, target: .global(qos: .userInteractive))
        context = ProcessContext(self)
    }

    /// The first drain, which starts the behavior. Called once; the inbox counts it as scheduled from the beginning, so
    /// that nothing runs before, whatever is sent.
    func begin() {
        scheduleDrain()
    }

    // MARK: From any thread

    var isOpen: Bool { inbox.withLock { $0.isOpen } }

    func post(_ message: Message) -> Bool {
        switch inbox.withLock({ $0.append(message) }) {
        case nil:
            system.countDeadLetters(1)
            return false
        case true?:
            scheduleDrain()
            return true
        case false?:
            return true
        }
    }

    func requestExit(_ reason: ExitReason) {
        if inbox.withLock({ $0.append(reason) }) { scheduleDrain() }
    }

    func interrupt(_ signal: UrgentSignal) {
        urgent.withLock { urgent in
            if case .kill? = urgent { return }
            urgent = signal
        }
        if inbox.withLock({ $0.noteUrgent() }) { scheduleDrain() }
    }

    // MARK: On the queue

    func requestEnd(_ reason: ExitReason) {
        dispatchPrecondition(condition: .onQueue(queue))
        if wantedEnd == nil { wantedEnd = reason }
    }

    func perform(_ body: () throws -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let behavior, let context else { return }
        guard !isBusy else { return attempt(body) }
        handle(behavior, context) {
            guard !takeUrgent(behavior, context) else { return }
            attempt(body)
        }
    }

    private func scheduleDrain() {
        queue.async { self.drain() }
    }

    private func drain() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let behavior, let context else { return }
        if batch.isEmpty, exitRequests.isEmpty {
            inbox.withLock { $0.swap(&batch, &exitRequests) }
            batchSize = batch.count
        }
        handle(behavior, context) {
            if !hasStarted {
                guard !takeUrgent(behavior, context) else { return }
                hasStarted = true
                attempt { try behavior.started(in: context) }
            }
            handleBatch(behavior, context)
        }
        guard self.behavior != nil else { return }
        if batch.isEmpty, batchSize > Self.keptCapacity { batch = [] }
        let hasLeftovers = !batch.isEmpty || !exitRequests.isEmpty
        if inbox.withLock({ $0.endDrain(hasLeftovers: hasLeftovers) }) { scheduleDrain() }
    }

    private func handleBatch(_ behavior: any Behavior<Message>, _ context: ProcessContext<Message>) {
        var budget = Self.drainLimit
        while wantedEnd == nil, budget > 0, !takeUrgent(behavior, context) {
            budget -= 1
            if let request = exitRequests.first, request.position <= handledCount {
                exitRequests.removeFirst()
                behavior.exitRequested(request.reason, in: context)
            } else if let message = batch.popFirst() {
                handledCount += 1
                attempt { try behavior.receive(message, in: context) }
            } else {
                return
            }
        }
    }

    /// Runs `work` as one unit: then either the flush, or the end that somebody asked for meanwhile.
    private func handle(
        _ behavior: any Behavior<Message>, _ context: ProcessContext<Message>, _ work: () -> Void
    ) {
        isBusy = true
        work()
        if wantedEnd == nil { attempt { try behavior.flush(in: context) } }
        isBusy = false
        if let reason = wantedEnd { end(reason, behavior, context) }
    }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { requestEnd(.failure(error)) }
    }

    /// Obeys an urgent signal, if there is one; true if the process ends for it.
    private func takeUrgent(_ behavior: any Behavior<Message>, _ context: ProcessContext<Message>) -> Bool {
        let signal: UrgentSignal? = urgent.withLock { urgent in
            // A request waits for `started`, the first call of all; a kill does not.
            if case .exitRequest? = urgent, !hasStarted { return nil }
            defer { urgent = nil }
            return urgent
        }
        switch signal {
        case nil: return false
        case .kill?: wantedEnd = .killed
        case .exitRequest(let reason)?: behavior.exitRequested(reason, in: context)
        }
        return wantedEnd != nil
    }

    private func end(_ wanted: ExitReason, _ behavior: any Behavior<Message>, _ context: ProcessContext<Message>) {
        let isKilled = if case .kill? = urgent.withLock({ $0 }) { true } else { false }
        let reason = isKilled ? .killed : wanted
        let unread = inbox.withLock { $0.close() }
        system.countDeadLetters(unread.messages.count + batch.count)
        batch = []
        exitRequests = []
        self.behavior = nil
        self.context = nil
        behavior.terminated(reason, in: context)
        // Afterwards, so that whoever hears of the end finds the behavior released.
        queue.async { [system, pid] in system.processEnded(pid, reason) }
    }
}
