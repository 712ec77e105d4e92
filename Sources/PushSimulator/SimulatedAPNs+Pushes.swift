/// The accepted pushes.
extension SimulatedAPNs {
    /// The accepted device pushes, each with token, payload and headers, in the order in which they were processed on
    /// their connection.
    ///
    /// ```swift
    /// #expect(apple.pushes[0].pushType == "alert")
    /// ```
    /// A push is included before its provider can see the answer. Refused pushes are only in the ``Ledger/records`` of
    /// the ``ledger``. By default the first 100,000 pushes are kept, in up to 160 MiB; later ones are counted in
    /// ``Ledger/Snapshot/unrecorded``. Empty if ``Configuration/ledger`` keeps no records.
    public var pushes: [Ledger.Record] { ledger.records.filter { $0.refusal == nil } }

    /// The accepted broadcasts, kept like ``pushes``.
    public var broadcasts: [Ledger.ChannelRecord] {
        ledger.channelRecords.filter { $0.action == .broadcast && $0.refusal == nil }
    }

    /// The pushes of ``pushes`` as they arrive, for a loop that waits for the next one.
    ///
    /// ```swift
    /// for await push in apple.arrivingPushes.prefix(2) { print(push.deviceToken) }
    /// ```
    public var arrivingPushes: ArrivingPushes { ArrivingPushes(ledger) }

    /// Waits for accepted pushes, in a test that cannot await the push itself.
    ///
    /// - Parameters:
    ///   - count: The number of pushes, including those that arrived before the call.
    ///   - timeout: The longest time to wait, in real time. 30 s by default.
    /// - Returns: ``pushes``, at least `count` of them.
    /// - Throws: `missingPushes` if the time passed first or the task was cancelled, `notKept` if
    ///   ``Configuration/ledger`` keeps no records.
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

/// The past and future accepted pushes of a simulator, in order: see ``SimulatedAPNs/arrivingPushes``.
///
/// Every loop begins with the first push in the ledger, even if it arrived before the loop, so it misses none. After
/// the last push it waits for the next. It ends when the task is cancelled, and when the simulator was stopped or
/// released and its connections have ended. The ledger is the only buffer: the loop does not return pushes that the
/// ledger does not keep. If the ledger keeps no records, the loop ends at once.
public struct ArrivingPushes: AsyncSequence, Sendable {
    private let ledger: Ledger

    init(_ ledger: Ledger) { self.ledger = ledger }

    /// Returns an iterator that begins with the first push.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(ledger) }

    /// A position in the sequence.
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
