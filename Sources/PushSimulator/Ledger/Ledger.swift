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
        /// are not.
        public var records: Int

        /// Counters only.
        public static let counters = Detail(distinctKeys: 0, records: 0)
        /// Counters, and up to 1,000,000 device tokens and apns-ids, at about 50 bytes each.
        public static let counts = Detail(distinctKeys: 1_000_000, records: 0)
        /// As ``counts``, and the first 100,000 pushes whole, at about 500 bytes each: for tests.
        public static let records = Detail(distinctKeys: 1_000_000, records: 100_000)

        /// Limits of at least 0.
        public init(distinctKeys: Int, records: Int) {
            self.distinctKeys = max(0, distinctKeys)
            self.records = max(0, records)
        }
    }

    private struct Book {
        var snapshot = Snapshot()
        var tokens: [LedgerKey: Count] = [:]
        var messages: [LedgerKey: Count] = [:]
        var bearers: [LedgerKey: Int] = [:]
        var records: [Record] = []
        var channels: [LedgerKey: Count] = [:]
        var channelRecords: [ChannelRecord] = []
        var waiters: [Waiter] = []
        var lastWaiter = 0
    }

    private struct Waiter {
        let number: Int
        let condition: @Sendable (Snapshot) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private let detail: Detail
    private let book = Locked(Book())

    init(detail: Detail) { self.detail = detail }

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
            defer { book.records = [] }
            return book.records
        }
    }

    /// As ``takeRecords()``, for broadcasts and requests about channels.
    package func takeChannelRecords() -> [ChannelRecord] {
        book.withLock { book in
            defer { book.channelRecords = [] }
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
            book.records = []
            book.channels = [:]
            book.channelRecords = []
        }
    }

    /// Waits until the counters satisfy a condition: a test waits for what it needs and never for time.
    ///
    /// - Parameters:
    ///   - timeout: How long at most; 30 s if not said.
    ///   - condition: Called once at the beginning and then after each change, quickly and without locks of its own.
    /// - Returns: False where the time passed first.
    public func wait(
        within timeout: Duration = .seconds(30), until condition: @escaping @Sendable (Snapshot) -> Bool
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            let number = book.withLock { book -> Int? in
                guard !condition(book.snapshot) else { return nil }
                book.lastWaiter += 1
                book.waiters.append(Waiter(number: book.lastWaiter, condition: condition, continuation: continuation))
                return book.lastWaiter
            }
            guard let number else { return continuation.resume(returning: true) }
            let nanoseconds = timeout / .nanoseconds(1)
            DispatchQueue.global(qos: .userInteractive).asyncAfter(
                deadline: .now() + .nanoseconds(Int(min(max(nanoseconds, 0), 1e18)))
            ) { [weak self] in self?.giveUp(number) }
        }
    }

    private func giveUp(_ number: Int) {
        let waiter = book.withLock { book -> Waiter? in
            guard let index = book.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return book.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }

    /// Changes the counters, and tells whoever waited for what they say now.
    func change(_ body: (inout Snapshot) -> Void) {
        settle { body(&$0.snapshot) }
    }

    /// Enters what one burst brought; `entries` keeps its storage and is empty afterwards.
    func enter(_ entries: inout [LedgerEntry], answered: Int, faults: Int = 0) {
        guard !entries.isEmpty || answered > 0 || faults > 0 else { return }
        settle { book in
            book.snapshot.answered += answered
            book.snapshot.faults += faults
            for entry in entries { enter(entry, &book) }
        }
        entries.removeAll(keepingCapacity: true)
    }

    /// Enters what one burst brought of broadcasts and requests about channels; `entries` keeps its storage and is empty afterwards.
    func enter(_ entries: inout [ChannelLedgerEntry]) {
        guard !entries.isEmpty else { return }
        settle { book in
            for entry in entries { enter(entry, &book) }
        }
        entries.removeAll(keepingCapacity: true)
    }

    private func enter(_ entry: ChannelLedgerEntry, _ book: inout Book) {
        if entry.isBroadcast {
            book.snapshot.broadcasts.note(entry.verdict.refusal)
            if let channel = entry.channelID, !channel.isEmpty {
                note(
                    LedgerKey(channel), entry.verdict.refusal == nil, in: &book.channels, &book.snapshot.uncounted)
            }
        } else {
            book.snapshot.channelRequests.note(entry.verdict.refusal)
        }
        let bearer = entry.bearer.flatMap { number(ofBearer: $0, &book) }
        if book.channelRecords.count < detail.records {
            book.channelRecords.append(ChannelRecord(entry, providerToken: bearer))
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
            note(LedgerKey(caseless: token), isAccepted, in: &book.tokens, &book.snapshot.uncounted)
        }
        if let message = entry.message {
            note(LedgerKey(caseless: message), isAccepted, in: &book.messages, &book.snapshot.uncounted)
        }
        let bearer = entry.bearer.flatMap { number(ofBearer: $0, &book) }
        if book.records.count < detail.records { book.records.append(Record(entry, providerToken: bearer)) }
    }

    /// Numbers the provider tokens; only where pushes are kept whole.
    private func number(ofBearer bearer: Octets, _ book: inout Book) -> Int? {
        guard detail.records > 0 else { return nil }
        let key = LedgerKey(bearer)
        if let known = book.bearers[key] { return known }
        guard book.bearers.count < 10_000 else { return nil }
        book.bearers[key] = book.bearers.count + 1
        return book.bearers.count
    }

    private func note(
        _ key: @autoclosure () -> LedgerKey, _ isAccepted: Bool, in counts: inout [LedgerKey: Count],
        _ uncounted: inout Int
    ) {
        guard detail.distinctKeys > 0 else { return }
        let key = key()
        if counts.count >= detail.distinctKeys, counts[key] == nil {
            uncounted += 1
        } else {
            counts[key, default: Count()].note(isAccepted)
        }
    }

    private func settle(_ body: (inout Book) -> Void) {
        let ready = book.withLock { book -> [Waiter] in
            body(&book)
            guard !book.waiters.isEmpty else { return [] }
            let ready = book.waiters.filter { $0.condition(book.snapshot) }
            let numbers = Set(ready.map(\.number))
            book.waiters.removeAll { numbers.contains($0.number) }
            return ready
        }
        for waiter in ready { waiter.continuation.resume(returning: true) }
    }
}
