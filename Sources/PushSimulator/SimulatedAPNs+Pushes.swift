/// What was pushed.
extension SimulatedAPNs {
    /// The pushes to devices that were accepted, in the order in which they were processed on their connection, each with token, payload
    /// and headers.
    ///
    /// ```swift
    /// #expect(apple.pushes[0].pushType == "alert")
    /// ```
    /// A push is here as soon as its answer can be seen. Refused ones are only in ``ledger``'s ``Ledger/records``. Kept are the first
    /// 100,000 pushes and 64 MiB of payloads; what comes later is counted in ``Ledger/Snapshot/unrecorded``. Empty where
    /// ``Configuration/ledger`` keeps no records.
    public var pushes: [Ledger.Record] { ledger.records.filter { $0.refusal == nil } }

    /// The broadcasts that were accepted, as ``pushes``.
    public var broadcasts: [Ledger.ChannelRecord] {
        ledger.channelRecords.filter { $0.action == .broadcast && $0.refusal == nil }
    }

    /// The pushes of ``pushes`` as they come, for a loop that waits for the next.
    ///
    /// ```swift
    /// for await push in apple.arrivingPushes.prefix(2) { print(push.deviceToken) }
    /// ```
    public var arrivingPushes: ArrivingPushes { ArrivingPushes(ledger) }

    /// Waits for pushes that were accepted: what a test does that cannot await the push itself.
    ///
    /// - Parameters:
    ///   - count: How many there must be, those included that came before the call.
    ///   - timeout: How long to wait at most, in real time; 30 s if not said.
    /// - Returns: ``pushes``, at least `count` of them.
    /// - Throws: `missingPushes` where the time passed first or the task was cancelled, `notKept` where ``Configuration/ledger`` keeps no
    ///   records.
    @discardableResult
    public func waitForPushes(
        _ count: Int, within timeout: Duration = .seconds(30)
    ) async throws(SimulatorError) -> [Ledger.Record] {
        guard ledger.keepsRecords else {
            throw SimulatorError(
                .notKept, "The ledger keeps no pushes: leave SimulatedAPNs.Configuration.ledger at .records.")
        }
        _ = await ledger.wait(within: timeout) { $0.accepted >= count }
        let pushes = pushes
        guard pushes.count >= count else {
            let seen = ledger.snapshot
            throw SimulatorError(
                .missingPushes,
                "\(count) accepted pushes were waited for, and \(seen.accepted) came. Refused were \(seen.refused),"
                    + " not kept \(seen.unrecorded).")
        }
        return pushes
    }
}

/// The pushes that a simulator accepted and accepts, in order: see ``SimulatedAPNs/arrivingPushes``.
///
/// Every loop begins with the first push that the ledger has, also if it came before the loop, so none is missed. After the last one it
/// waits for the next. It ends when the task is cancelled, and when the simulator was stopped or released and its connections have ended.
/// There is no buffer but the ledger: a push that the ledger does not keep does not come. If it keeps no records, the loop ends at once.
public struct ArrivingPushes: AsyncSequence, Sendable {
    private let ledger: Ledger

    init(_ ledger: Ledger) { self.ledger = ledger }

    /// Begins with the first push.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(ledger) }

    /// A place in the sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let ledger: Ledger
        private var number = 0

        init(_ ledger: Ledger) { self.ledger = ledger }

        /// The next push; nil at the end.
        public mutating func next() async -> Ledger.Record? { await ledger.nextAccepted(&number) }

        /// The next push; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Ledger.Record? {
            await ledger.nextAccepted(&number)
        }
    }
}
