import DequeModule
import PushLocking

/// The messages and the receivers of a mailbox. Accessed only under the mailbox's lock.
///
/// Receivers are served in order of arrival. The predicates of selective receivers are user code, so they run outside
/// the lock: ``nextStep()`` returns the messages that a receiver has not seen yet, and ``finishScan(_:upTo:taking:)``
/// takes the result. No other receiver is served during a scan; this keeps the order.
struct MailboxState<Message: MailboxMessage> {
    enum Content {
        case message(Message)
        /// `count` messages were dropped here.
        case gap(Int)

        var message: Message {
            switch self {
            case .message(let message): message
            case .gap(let count): .overflowed(count)
            }
        }
    }

    struct Entry {
        /// Ascending; never used twice.
        let number: UInt64
        var content: Content
    }

    typealias Receiver = HandOver<Message?>

    struct Waiter {
        let id: UInt64
        let wants: (@Sendable (Message) -> Bool)?
        /// The waiter refused all entries with smaller numbers.
        var unseen: UInt64 = 0
        let receiver: Receiver
    }

    enum Step {
        case resume(Receiver, Content?)
        case scan(Waiter, [Entry])
    }

    enum Immediate {
        case content(Content)
        case ended
        case mustWait
    }

    let limit: Int
    private(set) var isClosed = false
    private(set) var messageCount = 0
    private var weight = 0
    private var entries = Deque<Entry>()
    private var waiters = Deque<Waiter>()
    private var isScanning = false
    private var lastNumber: UInt64 = 0
    var closeHandlers: [(reference: MailboxCloseReference, run: @Sendable () -> Void)] = []

    init(limit: Int) {
        self.limit = limit
    }

    var hasWaiters: Bool { !waiters.isEmpty }

    /// A number for a receiver, an entry or a close handler.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func append(_ message: Message) -> Bool {
        guard !isClosed else { return false }
        guard weight < limit else {
            recordDrop()
            return false
        }
        messageCount += 1
        weight += max(1, message.weight)
        entries.append(Entry(number: nextNumber(), content: .message(message)))
        return true
    }

    /// Drops the newest message: the gap at the end grows. Two gaps have at least one message between them, so there
    /// are at most `limit + 1` gaps.
    private mutating func recordDrop() {
        if let last = entries.indices.last, case .gap(let count) = entries[last].content {
            entries[last].content = .gap(count + 1)
        } else {
            entries.append(Entry(number: nextNumber(), content: .gap(1)))
        }
    }

    /// What a receiver without a predicate gets without waiting.
    mutating func takeWithoutWaiting() -> Immediate {
        if waiters.isEmpty, let content = takeFirst() { return .content(content) }
        return isClosed && entries.isEmpty ? .ended : .mustWait
    }

    var messages: [Message] { entries.map(\.content.message) }

    mutating func takeAll() -> [Message] {
        defer {
            entries = []
            (messageCount, weight) = (0, 0)
        }
        return messages
    }

    mutating func wait(_ waiter: Waiter) {
        waiters.append(waiter)
    }

    mutating func removeWaiter(_ id: UInt64) -> Waiter? {
        waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0) }
    }

    mutating func close() {
        isClosed = true
    }

    /// The next step to perform outside the lock. Nil if there is none, or if another thread is scanning.
    mutating func nextStep() -> Step? {
        guard !isScanning, !entries.isEmpty || isClosed else { return nil }
        for index in waiters.indices {
            let waiter = waiters[index]
            if waiter.wants != nil {
                let unseen = entries.suffix(from: position(of: waiter.unseen))
                if !unseen.isEmpty {
                    isScanning = true
                    return .scan(waiter, Array(unseen))
                }
            } else if let content = takeFirst() {
                waiters.remove(at: index)
                return .resume(waiter.receiver, content)
            }
            if isClosed {
                waiters.remove(at: index)
                return .resume(waiter.receiver, nil)
            }
        }
        return nil
    }

    /// Ends the scan of a receiver. It wants the entry `number`, or (if nil) none of the entries up to `last`.
    mutating func finishScan(_ id: UInt64, upTo last: UInt64, taking number: UInt64?) -> Step? {
        isScanning = false
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
        guard let number else {
            waiters[index].unseen = last + 1
            return nil
        }
        // If the entry is gone, a receiver that did not have to wait took it. The next scan sees what is left.
        let position = position(of: number)
        guard position < entries.endIndex, entries[position].number == number else { return nil }
        let entry = entries.remove(at: position)
        recordTaken(entry.content)
        mergeGaps(at: position)
        return .resume(waiters.remove(at: index).receiver, entry.content)
    }

    /// Makes one of two gaps whose message was taken. It keeps the later number: who saw only the earlier one must see it.
    private mutating func mergeGaps(at position: Int) {
        guard position > entries.startIndex, position < entries.endIndex,
            case .gap(let first) = entries[position - 1].content, case .gap(let second) = entries[position].content
        else { return }
        entries[position].content = .gap(first + second)
        entries.remove(at: position - 1)
    }

    private mutating func takeFirst() -> Content? {
        guard let content = entries.popFirst()?.content else { return nil }
        recordTaken(content)
        return content
    }

    private mutating func recordTaken(_ content: Content) {
        guard case .message(let message) = content else { return }
        messageCount -= 1
        weight -= max(1, message.weight)
    }

    /// The index of the first entry whose number is `number` or greater.
    private func position(of number: UInt64) -> Int {
        var low = entries.startIndex
        var high = entries.endIndex
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
