import DequeModule
import PushLocking
import PushSimulator

/// What an inbox knows: pushes, what happened to connections, devices, and who waits for news.
///
/// A connection calls it for each burst, so that a push is in it before its provider sees the answer.
final class InboxStore: SimulatorObserver {
    /// What changed otherwise; a reader looks again.
    enum Part: String, CaseIterable, Sendable {
        case pushes, rules, devices, sessions
    }

    /// A connection's event, between pushes.
    struct NumberedEvent: Sendable {
        let number: Int
        /// The number of the push that came before it; 0 for none.
        let afterPush: Int
        let event: ProviderEvent
    }

    private struct Book {
        var ring: PushRing
        var events: Deque<NumberedEvent> = []
        var lastEvent = 0
        var changes: [Part: Int] = [:]
        var devices: DeviceBook
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
        var totals = InboxTotals()
        var isClosed = false
        /// Increases with every change.
        var version = 0

        /// Shows the devices what they have not seen, at most 500 pushes.
        ///
        /// - Returns: Whether there may be more.
        mutating func catchUpDevices() -> Bool {
            let pushes = ring.after(devices.seen, limit: 500)
            for push in pushes { devices.see(push) }
            return pushes.count == 500
        }
    }

    /// How many events of connections are kept.
    static let mostEvents = 10_000

    let limits: InboxLimits
    private let book: Locked<Book>

    init(limits: InboxLimits) {
        self.limits = limits
        book = Locked(Book(ring: PushRing(limits: limits), devices: DeviceBook()))
    }

    // MARK: What arrives

    func arrived(_ pushes: [ObservedPush]) {
        change { book in
            for push in pushes {
                let kept = book.ring.append(.push(push))
                book.totals.add(kept)
                // What pushes do to devices that are all online is worked out when a reader asks.
                if !book.devices.set.isEmpty { book.devices.see(kept) }
                book.ring.expire(now: kept.wallClock)
            }
        }
    }

    func arrived(_ requests: [Ledger.ChannelRecord]) {
        change { book in
            for record in requests where record.action == .broadcast {
                book.totals.add(book.ring.append(.broadcast(record)))
                book.ring.expire(now: record.wallClock)
            }
        }
    }

    func noted(_ event: ProviderEvent) {
        change { book in
            book.lastEvent += 1
            book.events.append(
                NumberedEvent(number: book.lastEvent, afterPush: book.ring.next - 1, event: event))
            if book.events.count > Self.mostEvents { book.events.removeFirst() }
        }
    }

    /// Tells readers that something else changed.
    func changed(_ part: Part) { change { $0.changes[part, default: 0] += 1 } }

    private func change(_ body: (inout Book) -> Void) {
        let waiters = book.withLock { book -> [CheckedContinuation<Void, Never>] in
            body(&book)
            book.version += 1
            guard !book.waiters.isEmpty else { return [] }
            defer { book.waiters = [:] }
            return Array(book.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: What is asked

    /// All pushes that are kept, for a look at them outside the lock.
    var pushes: PushRing { book.withLock { $0.ring } }

    var totals: InboxTotals {
        book.withLock { book in
            var totals = book.totals
            totals.kept = book.ring.pushes.count
            totals.keptBytes = book.ring.bytes
            totals.evicted = book.ring.evicted
            totals.next = book.ring.next
            return totals
        }
    }

    func push(numbered number: Int) -> InboxPush? { book.withLock { $0.ring.push(numbered: number) } }

    func expire(now wallClock: Int64) { book.withLock { $0.ring.expire(now: wallClock) } }

    /// Removes pushes. A search takes long, so it is done outside the lock.
    func remove(where matches: (InboxPush) -> Bool) -> Int {
        catchUpDevices()
        let numbers = Set(pushes.pushes.lazy.filter(matches).map(\.number))
        var count = 0
        change {
            count = $0.ring.removeAll { numbers.contains($0.number) }
            $0.changes[.pushes, default: 0] += 1
        }
        return count
    }

    /// The devices, after all pushes that are kept.
    func withDevices<Result>(_ body: (inout DeviceBook, PushRing) -> Result) -> Result {
        catchUpDevices()
        return book.withLock { book in
            _ = book.catchUpDevices()
            return body(&book.devices, book.ring)
        }
    }

    /// In steps, so that no connection waits long for the lock.
    private func catchUpDevices() { while book.withLock({ $0.catchUpDevices() }) {} }

    /// Where a reader begins that wants only what comes.
    var position: InboxPosition {
        book.withLock { InboxPosition(push: $0.ring.next - 1, event: $0.lastEvent, changes: $0.changes) }
    }

    /// What came after a position, at most that many pushes, the oldest ones.
    func news(after position: InboxPosition, most: Int = .max) -> InboxNews {
        book.withLock { book in
            let pushes = position.push >= book.ring.next - 1 ? [] : book.ring.after(position.push, limit: most)
            let reached = pushes.count == most ? pushes.last?.number ?? 0 : book.ring.next - 1
            let events =
                position.event >= book.lastEvent
                ? [] : book.events.filter { $0.number > position.event }
            let parts = Part.allCases.filter { book.changes[$0, default: 0] != position.changes[$0, default: 0] }
            return InboxNews(
                pushes: pushes, events: events, parts: parts,
                position: InboxPosition(push: reached, event: book.lastEvent, changes: book.changes),
                lost: max(0, reached - position.push - pushes.count), isClosed: book.isClosed)
        }
    }

    // MARK: Waiting

    /// Increases with everything that arrives or changes.
    var version: Int { book.withLock { $0.version } }

    /// Returns when something came after this version, at the latest when the time passed, the task is cancelled, or the
    /// store closes.
    func waitForChange(after version: Int, within timeout: Duration) async {
        await withTaskGroup { group in
            group.addTask { await self.waitForChange(after: version) }
            group.addTask { try? await Task.sleep(for: timeout) }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitForChange(after version: Int) async {
        let number = book.withLock { book in
            book.lastWaiter += 1
            return book.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = book.withLock { book in
                    if book.version != version || book.isClosed { return true }
                    book.waiters[number] = continuation
                    return false
                }
                if isDone { return continuation.resume() }
                // The cancellation handler below may have run before the waiter was added.
                if Task.isCancelled { stopWaiting(number) }
            }
        } onCancel: {
            stopWaiting(number)
        }
    }

    private func stopWaiting(_ number: Int) {
        book.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
    }

    /// Ends every wait, now and later.
    func close() { change { $0.isClosed = true } }
}
