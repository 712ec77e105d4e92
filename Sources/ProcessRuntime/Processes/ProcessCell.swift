import DequeModule
import Dispatch
import PushLocking

/// What the system needs from a process, whatever its message type.
protocol AnyProcessCell: AnyObject, Sendable {
    var isOpen: Bool { get }
    func requestExit(_ reason: ExitReason)
    func interrupt(_ signal: UrgentSignal)
}

/// A signal that overtakes the messages.
enum UrgentSignal {
    case kill
    /// The final shutdown of a supervisor: an exit request, delivered before the next message.
    case exitRequest(ExitReason)
}

/// A process: a serial queue, a mailbox, a behavior.
///
/// The first message of a burst schedules one drain. The drain swaps the mailbox for an empty one under the lock and
/// handles the contents without the lock. A sender pays for one lock, one append and, once per burst, one
/// `queue.async`. The system's table keeps a cell until the process ends; context and cell keep each other until then.
final class ProcessCell<Message: Sendable>: AnyProcessCell, @unchecked Sendable {
    // Sendable: `queue` alone accesses the `var`s below; everything else is constant or behind a lock.

    let pid: ProcessID
    let queue: DispatchQueue
    let system: ProcessSystem
    private let mailbox = Locked(ProcessMailbox<Message>())
    /// Has its own lock, so that the check between messages does not contend with senders.
    private let urgent = Locked<UrgentSignal?>(nil)

    private var behavior: (any Behavior<Message>)?
    private var context: ProcessContext<Message>?
    private var batch = Deque<Message>()
    /// The count of `batch` when the drain took it.
    private var batchSize = 0
    private var exitRequests = Deque<ExitRequest>()
    private var handledCount = 0
    private var hasStarted = false
    /// A message or a `perform` is being handled, so a flush will follow.
    private var isBusy = false
    private var wantedEnd: ExitReason?

    /// How many messages a drain handles before other processes get a turn.
    private static var drainLimit: Int { 512 }
    /// After a burst of more messages than this, the storage is freed.
    private static var keptCapacity: Int { 1_024 }

    init(pid: ProcessID, label: String, system: ProcessSystem, behavior: any Behavior<Message>) {
        self.pid = pid
        self.system = system
        self.behavior = behavior
        // A queue without a target would be overcommitted and could get a thread of its own. The pool of
        // `.userInteractive` is separate from the default pool, which callers may block.
        queue = DispatchQueue(label: label, target: .global(qos: .userInteractive))
        context = ProcessContext(self)
    }

    /// Schedules the first drain, which starts the behavior. Called once. The mailbox starts as if a drain were
    /// scheduled, so nothing runs before this call.
    func begin() {
        scheduleDrain()
    }

    // MARK: From any thread

    var isOpen: Bool { mailbox.withLock { $0.isOpen } }

    func post(_ message: Message) -> Bool {
        switch mailbox.withLock({ $0.append(message) }) {
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
        if mailbox.withLock({ $0.append(reason) }) { scheduleDrain() }
    }

    func interrupt(_ signal: UrgentSignal) {
        urgent.withLock { urgent in
            if case .kill? = urgent { return }
            urgent = signal
        }
        if mailbox.withLock({ $0.markUrgent() }) { scheduleDrain() }
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
        handle(behavior, in: context) {
            guard !obeyUrgent(behavior, in: context) else { return }
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
            mailbox.withLock { $0.swap(&batch, exitRequests: &exitRequests) }
            batchSize = batch.count
        }
        handle(behavior, in: context) {
            if !hasStarted {
                guard !obeyUrgent(behavior, in: context) else { return }
                hasStarted = true
                attempt { try behavior.started(in: context) }
            }
            handleBatch(behavior, in: context)
        }
        guard self.behavior != nil else { return }
        if batch.isEmpty, batchSize > Self.keptCapacity { batch = [] }
        let hasLeftovers = !batch.isEmpty || !exitRequests.isEmpty
        if mailbox.withLock({ $0.endDrain(hasLeftovers: hasLeftovers) }) { scheduleDrain() }
    }

    private func handleBatch(_ behavior: any Behavior<Message>, in context: ProcessContext<Message>) {
        var budget = Self.drainLimit
        while wantedEnd == nil, budget > 0, !obeyUrgent(behavior, in: context) {
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

    /// Runs `work` as one unit. Then calls `flush`, or ends the process if it must end.
    private func handle(
        _ behavior: any Behavior<Message>, in context: ProcessContext<Message>, _ work: () -> Void
    ) {
        isBusy = true
        work()
        if wantedEnd == nil { attempt { try behavior.flush(in: context) } }
        isBusy = false
        if let reason = wantedEnd { end(reason, behavior: behavior, in: context) }
    }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { requestEnd(.failure(error)) }
    }

    /// Handles an urgent signal, if there is one. Returns true if the process must end.
    private func obeyUrgent(_ behavior: any Behavior<Message>, in context: ProcessContext<Message>) -> Bool {
        let signal: UrgentSignal? = urgent.withLock { urgent in
            // An exit request waits until `started` has been called; a kill does not.
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

    private func end(_ wanted: ExitReason, behavior: any Behavior<Message>, in context: ProcessContext<Message>) {
        let isKilled = if case .kill? = urgent.withLock({ $0 }) { true } else { false }
        let reason = isKilled ? .killed : wanted
        let unread = mailbox.withLock { $0.close() }
        system.countDeadLetters(unread.messages.count + batch.count)
        batch = []
        exitRequests = []
        self.behavior = nil
        self.context = nil
        behavior.terminated(reason, in: context)
        // Asynchronously, so that the behavior is released before anyone hears of the end.
        queue.async { [system, pid] in system.processEnded(pid, reason: reason) }
    }
}
