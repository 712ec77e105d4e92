import Dispatch
import PushLocking

/// The simulator's own account of what reached it: what a client's outcomes are compared with.
///
/// A push is entered when it was judged, before its answer is written, and also where a fault keeps the answer back. Pushes that
/// were not processed (a stream refused, or above the last one of a GOAWAY) are not entered. Broadcasts and requests about channels
/// are entered likewise, apart from the pushes to devices. All functions may be called from any thread; an entry is visible at the
/// latest when the provider can have seen its answer.
public final class Ledger: Sendable {
    /// How much is kept beside the counters, which are always kept.
    public struct Detail: Sendable, Hashable {
        /// How many different device tokens, how many different apns-ids, and how many different channels, are counted one by one. Those
        /// that come later are not.
        public var distinctKeys: Int
        /// How many pushes are kept whole, in order of arrival, and as many broadcasts and requests about channels. Those that come later
        /// are counted in ``Snapshot/unrecorded``.
        public var records: Int
        /// How many bytes of payloads are kept in all records together. A push whose payload does not fit any more is not kept, but counted
        /// in ``Snapshot/unrecorded``. 0: no record has its payload, which costs nothing then.
        public var payloadBytes: Int

        /// Counters only.
        public static let counters = Detail(distinctKeys: 0, records: 0)
        /// Counters, and up to 1,000,000 device tokens and apns-ids, at about 50 bytes each.
        public static let counts = Detail(distinctKeys: 1_000_000, records: 0)
        /// As ``counts``, and the first 100,000 pushes whole, at about 700 bytes each and 64 MiB for all their payloads: for tests.
        public static let records = Detail(distinctKeys: 1_000_000, records: 100_000, payloadBytes: 64 << 20)

        /// Limits of at least 0.
        public init(distinctKeys: Int, records: Int, payloadBytes: Int = 0) {
            self.distinctKeys = max(0, distinctKeys)
            self.records = max(0, records)
            self.payloadBytes = max(0, payloadBytes)
        }
    }

    private struct Book {
        var snapshot = Snapshot()
        var tokens: [LedgerKey: Count] = [:]
        var messages: [LedgerKey: Count] = [:]
        var bearers: [LedgerKey: Int] = [:]
        var records: [Record] = []
        /// How many records were taken out or forgotten: the number of the first that is there.
        var firstRecord = 0
        /// Bytes of payloads in both kinds of records.
        var payloadBytes = 0
        /// The simulator does not listen any more.
        var isStopped = false
        var channels: [LedgerKey: Count] = [:]
        var channelRecords: [ChannelRecord] = []
        var waiters: [Waiter] = []
        var lastWaiter = 0

        /// Nothing arrives until the simulator is started again.
        var isOver: Bool { isStopped && snapshot.openConnections <= 0 }

        mutating func forgetRecords() {
            firstRecord += records.count
            payloadBytes -= records.reduce(0) { $0 + $1.payload.count }
            records = []
        }
    }

    private struct Waiter {
        let number: Int
        let condition: @Sendable (Book) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private let detail: Detail
    private let book = Locked(Book())

    init(detail: Detail) { self.detail = detail }

    /// Pushes are kept whole.
    var keepsRecords: Bool { detail.records > 0 }

    /// How many bytes of a payload are kept: 5,120, the longest that APNs accepts, or nothing.
    var longestPayload: Int { keepsRecords && detail.payloadBytes > 0 ? 5120 : 0 }

    /// All counters, taken at one moment.
    public var snapshot: Snapshot { book.withLock { $0.snapshot } }

    /// What is known of one device token, hex digits of either case. All zeros for a token that never came, or came too late to be kept.
    public func count(deviceToken: String) -> Count {
        let key = LedgerKey(caseless: Octets(Array(deviceToken.utf8)))
        return book.withLock { $0.tokens[key] ?? Count() }
    }

    /// What is known of one apns-id of a request, hex digits of either case. Ids the simulator made itself are not counted.
    public func count(apnsID: String) -> Count {
        let key = LedgerKey(caseless: Octets(Array(apnsID.utf8)))
        return book.withLock { $0.messages[key] ?? Count() }
    }

    /// What is known of the broadcasts to one channel.
    public func count(channelID: String) -> Count {
        let key = LedgerKey(Octets(Array(channelID.utf8)))
        return book.withLock { $0.channels[key] ?? Count() }
    }

    /// Device tokens that were accepted more than once.
    public var repeatedDeviceTokens: Int { book.withLock { $0.tokens.values.count { $0.accepted > 1 } } }

    /// Apns-ids that were accepted more than once: pushes a client sent again although they had been processed.
    public var repeatedAPNSIDs: Int { book.withLock { $0.messages.values.count { $0.accepted > 1 } } }

    /// The pushes that were kept whole, in order of arrival on their connection.
    public var records: [Record] { book.withLock { $0.records } }

    /// The broadcasts and the requests about channels that were kept whole, in order of arrival on their connection.
    public var channelRecords: [ChannelRecord] { book.withLock { $0.channelRecords } }

    /// Takes the pushes that were kept whole out of the ledger, which makes room for later ones: for a log that follows it.
    package func takeRecords() -> [Record] {
        book.withLock { book in
            defer { book.forgetRecords() }
            return book.records
        }
    }

    /// As ``takeRecords()``, for broadcasts and requests about channels.
    package func takeChannelRecords() -> [ChannelRecord] {
        book.withLock { book in
            defer {
                book.payloadBytes -= book.channelRecords.reduce(0) { $0 + $1.payload.count }
                book.channelRecords = []
            }
            return book.channelRecords
        }
    }

    /// Sets all counters to zero and forgets everything, as for a new test.
    public func reset() {
        book.withLock { book in
            book.snapshot = Snapshot()
            book.tokens = [:]
            book.messages = [:]
            book.bearers = [:]
            book.forgetRecords()
            book.channels = [:]
            book.channelRecords = []
            book.payloadBytes = 0
        }
    }

    /// Waits until the counters satisfy a condition: a test waits for what it needs and never for time.
    ///
    /// - Parameters:
    ///   - timeout: How long at most; 30 s if not said.
    ///   - condition: Called once at the beginning and then after each change, quickly and without locks of its own.
    /// - Returns: False where the time passed first, or the task was cancelled.
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
                // The handler below may have run before there was anything to give up.
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

    /// The next push that was accepted, from the record of this number on; nil if the simulator stopped or the task was cancelled.
    ///
    /// - Parameter number: Afterwards that of the record that follows.
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

    /// The simulator listens, or stopped to.
    func listening(_ isListening: Bool) { change { $0.isStopped = !isListening } }

    /// Changes the counters, and resumes the callers whose condition holds now.
    func change(_ body: (inout Snapshot) -> Void) {
        change { body(&$0.snapshot) }
    }

    /// Enters what one burst brought; `entries` keeps its storage and is empty afterwards.
    func enter(_ entries: inout [LedgerEntry], answered: Int, faults: Int = 0) {
        guard !entries.isEmpty || answered > 0 || faults > 0 else { return }
        change { book in
            book.snapshot.answered += answered
            book.snapshot.faults += faults
            for entry in entries { enter(entry, &book) }
        }
        entries.removeAll(keepingCapacity: true)
    }

    /// Enters what one burst brought of broadcasts and requests about channels; `entries` keeps its storage and is empty afterwards.
    func enter(_ entries: inout [ChannelLedgerEntry]) {
        guard !entries.isEmpty else { return }
        change { book in
            for entry in entries { enter(entry, &book) }
        }
        entries.removeAll(keepingCapacity: true)
    }

    private func enter(_ entry: ChannelLedgerEntry, _ book: inout Book) {
        if entry.isBroadcast {
            book.snapshot.broadcasts.add(entry.verdict.refusal)
            if let channel = entry.channelID, !channel.isEmpty {
                count(
                    LedgerKey(channel), entry.verdict.refusal == nil, in: &book.channels, &book.snapshot.uncounted)
            }
        } else {
            book.snapshot.channelRequests.add(entry.verdict.refusal)
        }
        guard keepsRecords else { return }
        let bearer = entry.bearer.flatMap { number(ofBearer: $0, &book) }
        // The management port keeps bodies for its checks, also where the ledger keeps none.
        let payload = detail.payloadBytes > 0 ? entry.payload : []
        if book.channelRecords.count < detail.records, makeRoom(for: payload, &book) {
            book.channelRecords.append(ChannelRecord(entry, payload: payload, providerToken: bearer))
        } else {
            book.snapshot.unrecorded += 1
        }
    }

    private func enter(_ entry: LedgerEntry, _ book: inout Book) {
        let isAccepted = entry.verdict.refusal == nil
        book.snapshot.pushes += 1
        if isAccepted {
            book.snapshot.accepted += 1
        } else {
            book.snapshot.refusals[entry.verdict.refusal ?? .internalServerError, default: 0] += 1
        }
        if let token = entry.token {
            count(LedgerKey(caseless: token), isAccepted, in: &book.tokens, &book.snapshot.uncounted)
        }
        if let message = entry.message {
            count(LedgerKey(caseless: message), isAccepted, in: &book.messages, &book.snapshot.uncounted)
        }
        guard let request = entry.whole?.request else { return }
        let bearer = request.bearer.flatMap { number(ofBearer: $0, &book) }
        if book.records.count < detail.records, makeRoom(for: request.body, &book) {
            book.records.append(Record(entry, request, providerToken: bearer))
        } else {
            book.snapshot.unrecorded += 1
        }
    }

    /// Counts the bytes of a payload that is to be kept; false where they are too many.
    private func makeRoom(for payload: [UInt8], _ book: inout Book) -> Bool {
        guard detail.payloadBytes > 0 else { return true }
        guard payload.count <= detail.payloadBytes - book.payloadBytes else { return false }
        book.payloadBytes += payload.count
        return true
    }

    /// Numbers the provider tokens.
    private func number(ofBearer bearer: Octets, _ book: inout Book) -> Int? {
        let key = LedgerKey(bearer)
        if let known = book.bearers[key] { return known }
        guard book.bearers.count < 10_000 else { return nil }
        book.bearers[key] = book.bearers.count + 1
        return book.bearers.count
    }

    private func count(
        _ key: @autoclosure () -> LedgerKey, _ isAccepted: Bool, in counts: inout [LedgerKey: Count],
        _ uncounted: inout Int
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
