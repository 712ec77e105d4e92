import FoundationEssentials
import SupervisedPush

extension PushQueueProducer {
    /// Puts one notification in for any number of devices, in entries of 256 tokens.
    ///
    /// Up to 16,384 tokens are one call to the queue: all or none are put in. More are several calls, one after the other,
    /// and the sequence is read as it goes. If one fails, the error says what is in the queue. That the task is cancelled
    /// changes nothing.
    ///
    /// ```swift
    /// let ids = try await queue.enqueue(.alert(title: "Flight A998", body: "Boarding"), to: devices)
    /// ```
    ///
    /// - Parameters:
    ///   - notification: What is pushed.
    ///   - tokens: To whom, in this order. With none, nothing is put in.
    ///   - notBefore: See ``QueueEntry/notBefore``.
    ///   - deadline: See ``QueueEntry/deadline``.
    ///   - neverRepeats: See ``QueueEntry/neverRepeats``.
    ///   - isUrgent: See ``QueueEntry/isUrgent``.
    /// - Returns: The ids of the entries. ``cancel(_:)`` takes them, and each outcome has one.
    /// - Throws: What ``enqueue(_:)`` throws, as ``EnqueueError/cause``.
    @discardableResult
    public nonisolated(nonsending) func enqueue(
        _ notification: PushNotification, to tokens: some Sequence<DeviceToken>, notBefore: Date? = nil,
        deadline: Date? = nil, neverRepeats: Bool = false, isUrgent: Bool = false
    ) async throws(EnqueueError) -> [EntryID] {
        var batches = EntryBatches(tokens.makeIterator()) { tokens throws(QueueError) in
            try QueueEntry(
                notification, to: tokens, notBefore: notBefore, deadline: deadline, neverRepeats: neverRepeats,
                isUrgent: isUrgent)
        }
        var put: [EntryID] = []
        var (putTokens, batch): (Int, [QueueEntry]) = (0, [])
        do throws(QueueError) {
            while true {
                batch = try batches.next()
                guard !batch.isEmpty else { return put }
                try await enqueue(batch)
                put += batch.map(\.id)
                putTokens += batch.reduce(0) { $0 + $1.tokens.count }
                batch = []
            }
        } catch {
            throw EnqueueError(error, put: put, putTokens: putTokens, failed: batch)
        }
    }

    /// A text is no device token yet.
    @available(*, unavailable, message: "make device tokens: try [DeviceToken(text)]")
    @discardableResult
    public func enqueue(
        _ notification: PushNotification, to text: String, notBefore: Date? = nil, deadline: Date? = nil,
        neverRepeats: Bool = false, isUrgent: Bool = false
    ) async throws(EnqueueError) -> [EntryID] { [] }
}

/// The entries of each call.
private struct EntryBatches<Tokens: IteratorProtocol> where Tokens.Element == DeviceToken {
    private var tokens: Tokens
    private let entry: ([DeviceToken]) throws(QueueError) -> QueueEntry

    init(_ tokens: Tokens, _ entry: @escaping ([DeviceToken]) throws(QueueError) -> QueueEntry) {
        self.tokens = tokens
        self.entry = entry
    }

    /// Empty if no token is left.
    mutating func next() throws(QueueError) -> [QueueEntry] {
        var entries: [QueueEntry] = []
        var part: [DeviceToken] = []
        for _ in 0..<CampaignSize.tokensPerCall {
            guard let token = tokens.next() else { break }
            part.append(token)
            guard part.count == CampaignSize.tokensPerEntry else { continue }
            entries.append(try entry(part))
            part.removeAll(keepingCapacity: true)
        }
        if !part.isEmpty { entries.append(try entry(part)) }
        return entries
    }
}
