import Dispatch
import PushLocking
import Synchronization

/// The simulator's own record of the requests that it processed. Tests compare a client's outcomes with it.
///
/// A push is added after its checks and before its answer is written, even if a fault then holds the answer. A push
/// that was not processed, because its stream was refused or is above the last-stream-id of a GOAWAY, is not added.
/// Broadcasts and requests about channels are recorded in the same way, separately from device pushes. An entry is
/// visible before the provider can see its answer. All functions may be called from any thread.
public final class Ledger: Sendable {
    /// What the ledger keeps beside its counters.
    public struct Detail: Sendable, Hashable {
        /// How many different device tokens, apns-ids and channels are counted one by one, for each of the three. Later
        /// ones are not counted.
        public var distinctKeys: Int
        /// How many whole pushes are kept, and how many whole broadcasts and requests about channels: the first ones,
        /// in order of arrival. Later ones are counted in ``Snapshot/unrecorded``.
        public var records: Int
        /// How many bytes all records together may take: their texts, their payloads, and a fixed size for each. A push
        /// that exceeds the limit is not kept, and is counted in ``Snapshot/unrecorded``.
        public var bytes: Int
        /// Whether the records have the payloads.
        public var keepsPayloads: Bool
        /// Whether the records have the header fields, too.
        package var keepsHeaders = false

        /// Counters only.
        public static let counters = Detail(distinctKeys: 0, records: 0)
        /// Counters, and counts for up to 1,000,000 device tokens and apns-ids, at about 50 bytes each.
        public static let counts = Detail(distinctKeys: 1_000_000, records: 0)
        /// Like ``counts``, and the first 100,000 whole pushes with their payloads, in up to 160 MiB. For tests.
        public static let records = Detail(
            distinctKeys: 1_000_000, records: 100_000, bytes: 160 << 20, keepsPayloads: true)

        /// Creates limits. Negative values count as 0.
        ///
        /// - Parameters:
        ///   - distinctKeys: See ``distinctKeys``.
        ///   - records: See ``records``.
        ///   - bytes: See ``bytes``. Nil, the default, is 1 KiB for each record, which a usual push without its payload
        ///     does not need.
        ///   - keepsPayloads: See ``keepsPayloads``. False by default.
        public init(distinctKeys: Int, records: Int, bytes: Int? = nil, keepsPayloads: Bool = false) {
            self.distinctKeys = max(0, distinctKeys)
            self.records = max(0, records)
            let usual = self.records.multipliedReportingOverflow(by: 1024)
            self.bytes = max(0, bytes ?? (usual.overflow ? .max : usual.partialValue))
            self.keepsPayloads = keepsPayloads
        }
    }

    struct Book {
        var snapshot = Snapshot()
        var tokens: [LedgerKey: Count] = [:]
        var messages: [LedgerKey: Count] = [:]
        var bearers: [LedgerKey: Int] = [:]
        /// The one that was numbered last: most pushes have the one of the push before.
        var latestBearer: (bytes: Octets, number: Int)?
        var records: [Record] = []
        /// How many records were taken or forgotten: the number of the first record that is left.
        var firstRecord = 0
        /// Bytes of both kinds of records.
        var bytes = 0
        /// Whether the simulator has stopped listening.
        var isStopped = false
        var channels: [LedgerKey: Count] = [:]
        var channelRecords: [ChannelRecord] = []
        var waiters: [Waiter] = []
        var lastWaiter = 0
        var observer: (any SimulatorObserver)?
        /// What an export of metrics counts. Its pushes only if there is one.
        var figures = MetricFigures()

        /// Whether nothing can arrive until the simulator starts again.
        var isOver: Bool { isStopped && snapshot.openConnections <= 0 }

        mutating func forgetRecords() {
            firstRecord += records.count
            bytes -= records.reduce(0) { $0 + $1.keptBytes }
            records = []
        }
    }

    struct Waiter {
        let number: Int
        let condition: @Sendable (Book) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private let detail: Detail
    let book = Locked(Book())
    let hasObserver = Atomic(false)

    init(detail: Detail) { self.detail = detail }

    /// Whether whole pushes are kept.
    var keepsRecords: Bool { detail.records > 0 }

    /// Whether the requests must have the header fields.
    var takesHeaders: Bool { keepsRecords && detail.keepsHeaders || isObserved }

    /// How many bytes of a payload are taken: 5,120, the longest that APNs accepts, or 0.
    var longestPayload: Int { keepsRecords && detail.keepsPayloads || isObserved ? 5120 : 0 }

    /// All counters at one moment.
    public var snapshot: Snapshot { book.withLock { $0.snapshot } }

    /// The counts of a device token, in hex digits of either case. Zero if the token never arrived or was not counted.
    public func count(deviceToken: String) -> Count {
        let key = LedgerKey(caseless: Octets(Array(deviceToken.utf8)))
        return book.withLock { $0.tokens[key] ?? Count() }
    }

    /// The counts of an apns-id that a request carried, in hex digits of either case. Ids made by the simulator are not
    /// counted.
    public func count(apnsID: String) -> Count {
        let key = LedgerKey(caseless: Octets(Array(apnsID.utf8)))
        return book.withLock { $0.messages[key] ?? Count() }
    }

    /// The counts of the broadcasts to a channel.
    public func count(channelID: String) -> Count {
        let key = LedgerKey(Octets(Array(channelID.utf8)))
        return book.withLock { $0.channels[key] ?? Count() }
    }

    /// What an export of metrics counts.
    var figures: MetricFigures { book.withLock { $0.figures } }

    /// How many device tokens were accepted more than once.
    public var repeatedDeviceTokens: Int { book.withLock { $0.tokens.values.count { $0.accepted > 1 } } }

    /// How many apns-ids were accepted more than once: a client sent these pushes again although they had been
    /// processed.
    public var repeatedAPNSIDs: Int { book.withLock { $0.messages.values.count { $0.accepted > 1 } } }

    /// The whole pushes that were kept, in order of arrival on their connection.
    public var records: [Record] { book.withLock { $0.records } }

    /// The whole broadcasts and requests about channels that were kept, in order of arrival on their connection.
    public var channelRecords: [ChannelRecord] { book.withLock { $0.channelRecords } }

    /// Removes and returns the whole pushes, which makes room for later ones. For a log that follows the ledger.
    package func takeRecords() -> [Record] {
        book.withLock { book in
            defer { book.forgetRecords() }
            return book.records
        }
    }

    /// Like ``takeRecords()``, for broadcasts and requests about channels.
    package func takeChannelRecords() -> [ChannelRecord] {
        book.withLock { book in
            defer {
                book.bytes -= book.channelRecords.reduce(0) { $0 + $1.keptBytes }
                book.channelRecords = []
            }
            return book.channelRecords
        }
    }

    /// Sets all counters to zero and removes all records, for a new test. Open connections stay counted.
    public func reset() {
        book.withLock { book in
            let open = book.snapshot.openConnections
            book.snapshot = Snapshot()
            book.snapshot.openConnections = open
            book.tokens = [:]
            book.messages = [:]
            book.bearers = [:]
            book.forgetRecords()
            book.channels = [:]
            book.channelRecords = []
            book.bytes = 0
            book.figures = MetricFigures()
        }
    }

    /// Waits until the counters satisfy a condition, so that a test need not sleep.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait. 30 s by default.
    ///   - condition: Called once at the beginning and after each change. It must be quick and must not take locks.
    /// - Returns: False if the time passed first or the task was cancelled.
    public func wait(
        within timeout: Duration = .seconds(30), until condition: @escaping @Sendable (Snapshot) -> Bool
    ) async -> Bool {
        await wait(within: timeout) { (book: Book) in condition(book.snapshot) }
    }

    private func wait(
        within timeout: Duration?, until condition: @escaping @Sendable (Book) -> Bool
    ) async -> Bool {
        let number = book.withLock { book in
            book.lastWaiter += 1
            return book.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSatisfied = book.withLock { book in
                    if condition(book) { return true }
                    book.waiters.append(Waiter(number: number, condition: condition, continuation: continuation))
                    return false
                }
                guard !isSatisfied else { return continuation.resume(returning: true) }
                // The cancellation handler below may have run before the waiter was added.
                if Task.isCancelled { stopWaiting(number) }
                guard let timeout else { return }
                let nanoseconds = timeout / .nanoseconds(1)
                DispatchQueue.global(qos: .userInteractive).asyncAfter(
                    deadline: .now() + .nanoseconds(Int(min(max(nanoseconds, 0), 1e18)))
                ) { [weak self] in self?.stopWaiting(number) }
            }
        } onCancel: {
            stopWaiting(number)
        }
    }

    private func stopWaiting(_ number: Int) {
        let waiter = book.withLock { book -> Waiter? in
            guard let index = book.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return book.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }

    // MARK: Arrivals

    /// The next accepted push, beginning with the record of this number. Nil if the simulator stopped or the task was
    /// cancelled.
    ///
    /// - Parameter number: Set to the number of the record after the returned one.
    func nextAccepted(_ number: inout Int) async -> Record? {
        guard keepsRecords else { return nil }
        while !Task.isCancelled {
            let from = number
            let (record, next, isOver) = book.withLock { book -> (Record?, Int, Bool) in
                let rest = book.records.dropFirst(max(0, from - book.firstRecord))
                guard let index = rest.firstIndex(where: { $0.refusal == nil }) else {
                    return (nil, book.firstRecord + book.records.count, book.isOver)
                }
                return (book.records[index], book.firstRecord + index + 1, false)
            }
            number = next
            if record != nil || isOver { return record }
            _ = await wait(within: nil) { book in book.firstRecord + book.records.count > next || book.isOver }
        }
        return nil
    }

    /// Called when the simulator starts or stops listening.
    func listening(_ isListening: Bool) { change { $0.isStopped = !isListening } }

    /// Changes the counters and resumes the callers whose condition now holds.
    func change(_ body: (inout Snapshot) -> Void) {
        change { body(&$0.snapshot) }
    }

    /// Adds the pushes of one burst. Empties `entries`, which keeps its storage.
    func enter(_ entries: inout [LedgerEntry], answered: Int, faults: Int = 0) {
        guard !entries.isEmpty || answered > 0 || faults > 0 else { return }
        change { book in
            book.snapshot.answered += answered
            book.snapshot.faults += faults
            guard let observer = book.observer else { return entries.forEach { _ = enter($0, &book) } }
            let observed = entries.compactMap { enter($0, &book) }
            if !observed.isEmpty { observer.arrived(observed) }
        }
        entries.removeAll(keepingCapacity: true)
    }

    /// Adds the broadcasts and the requests about channels of one burst. Empties `entries`, which keeps its storage.
    func enter(_ entries: inout [ChannelLedgerEntry]) {
        guard !entries.isEmpty else { return }
        change { book in
            let records = entries.compactMap { enter($0, &book) }
            book.observer?.arrived(records)
        }
        entries.removeAll(keepingCapacity: true)
    }

    /// Returns what an observer sees of it; nil if no whole request is needed.
    private func enter(_ entry: ChannelLedgerEntry, _ book: inout Book) -> ChannelRecord? {
        if entry.isBroadcast {
            book.snapshot.broadcasts.add(entry.verdict.refusal)
            if let channel = entry.channelID, !channel.isEmpty {
                if entry.verdict.refusal == nil {
                    book.figures.add(
                        MetricFigures.Broadcast(day: MetricFigures.day(entry.wallClock), channelID: channel.text))
                }
                count(
                    LedgerKey(channel), isAccepted: entry.verdict.refusal == nil, in: &book.channels,
                    uncounted: &book.snapshot.uncounted)
            }
        } else {
            book.snapshot.channelRequests.add(entry.verdict.refusal)
        }
        guard keepsRecords || book.observer != nil else { return nil }
        let bearer = entry.bearer.flatMap { number(ofBearer: $0, &book) }
        // The management port keeps bodies for its checks, even if the ledger keeps none.
        let record = ChannelRecord(entry, payload: entry.payload, providerToken: bearer)
        let kept = record.trimmed(to: detail)
        if mayKeep(book.channelRecords.count, bytes: kept.keptBytes, in: &book) { book.channelRecords.append(kept) }
        return record
    }

    /// Returns what an observer sees of it; nil without one.
    private func enter(_ entry: LedgerEntry, _ book: inout Book) -> ObservedPush? {
        let isAccepted = entry.verdict.refusal == nil
        book.snapshot.pushes += 1
        if isAccepted {
            book.snapshot.accepted += 1
            if let delivery = entry.delivery { book.figures.add(delivery) }
        } else {
            book.snapshot.refusals[entry.verdict.refusal ?? .internalServerError, default: 0] += 1
        }
        if let token = entry.token {
            count(
                LedgerKey(caseless: token), isAccepted: isAccepted, in: &book.tokens,
                uncounted: &book.snapshot.uncounted)
        }
        if let message = entry.message {
            count(
                LedgerKey(caseless: message), isAccepted: isAccepted, in: &book.messages,
                uncounted: &book.snapshot.uncounted)
        }
        // What was made for an observer who has left is not kept, and does not count as left out.
        guard let whole = entry.whole, keepsRecords || book.observer != nil else { return nil }
        // A full ledger makes no record, unless an observer follows.
        guard book.records.count < detail.records || book.observer != nil else {
            book.snapshot.unrecorded += 1
            return nil
        }
        let bearer = entry.bearer.flatMap { number(ofBearer: $0, &book) }
        // An observer sees what the ledger does not keep.
        if keepsRecords {
            let record = Record(entry, whole, providerToken: bearer)
            let kept = book.observer == nil ? record : record.trimmed(to: detail)
            if mayKeep(book.records.count, bytes: kept.keptBytes, in: &book) { book.records.append(kept) }
        }
        return book.observer == nil ? nil : ObservedPush(entry, whole, providerToken: bearer)
    }

    /// Reserves room for a record beside `count` others. If there is not enough, returns false and counts the record as
    /// left out, unless the ledger keeps none.
    private func mayKeep(_ count: Int, bytes: Int, in book: inout Book) -> Bool {
        guard keepsRecords else { return false }
        guard count < detail.records, bytes <= detail.bytes - book.bytes else {
            book.snapshot.unrecorded += 1
            return false
        }
        book.bytes += bytes
        return true
    }

    /// The number of a provider token; nil for tokens after the 10,000th.
    private func number(ofBearer bearer: Octets, _ book: inout Book) -> Int? {
        if let latest = book.latestBearer, latest.bytes.equals(bearer) { return latest.number }
        let key = LedgerKey(bearer)
        guard let number = book.bearers[key] ?? (book.bearers.count < 10_000 ? book.bearers.count + 1 : nil) else {
            return nil
        }
        book.bearers[key] = number
        // A copy, because the bytes are a part of all header fields of the request.
        book.latestBearer = (Octets(Array(bearer)), number)
        return number
    }

    private func count(
        _ key: @autoclosure () -> LedgerKey, isAccepted: Bool, in counts: inout [LedgerKey: Count],
        uncounted: inout Int
    ) {
        guard detail.distinctKeys > 0 else { return }
        let key = key()
        if counts.count >= detail.distinctKeys, counts[key] == nil {
            uncounted += 1
        } else {
            counts[key, default: Count()].add(isAccepted)
        }
    }

    private func change(_ body: (inout Book) -> Void) {
        let ready = book.withLock { book -> [Waiter] in
            body(&book)
            guard !book.waiters.isEmpty else { return [] }
            let ready = book.waiters.filter { $0.condition(book) }
            let numbers = Set(ready.map(\.number))
            book.waiters.removeAll { numbers.contains($0.number) }
            return ready
        }
        for waiter in ready { waiter.continuation.resume(returning: true) }
    }
}
