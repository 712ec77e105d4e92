/// The outcomes of many pushes or broadcasts, in the order they arrive: one for each element of the source.
///
/// ```swift
/// for try await outcome in orders.bulk(pushes) {
///     if case .failure(let error) = outcome.result { print(outcome.index, error) }
/// }
/// ```
/// **Back-pressure both ways, constant memory.** The source is read only while there is room in the window: at most as
/// many pushes as the links take at a time, plus 256 for each link, are outstanding, counting outcomes that you have not
/// taken yet. Set ``BulkOptions/window`` to change that number. The source is read on a queue of its own, so it may block. An
/// outcome that you have not taken holds no stream: you may push to the same connection inside the loop, as slowly as
/// you like.
///
/// **An outage pauses it.** While no link is up, at most ``BulkOptions/readAhead`` elements are read, and pushes that
/// were read wait without a timeout: timeouts count from the latest write. A full queue also makes them wait; no push
/// ends as `overloaded`. A push that cannot be sent is an outcome like any other and does not stop the bulk.
///
/// **A refusal of the sender pauses it**, and so does a service that does not serve: answers such as
/// `TooManyProviderTokenUpdates`, `ExpiredProviderToken`, `BadTopic` for a topic that is the connection's, 503 and 500, which
/// say nothing about device and push (`PushResponse/judges`). Nothing more goes out, but one push after 1 s, 2 s and so on,
/// up to 60 s, as a probe. Once one is accepted, the bulk goes on, and what was refused is pushed again, with the same
/// apns-id. A single such answer among accepted pushes pauses nothing; its push goes again after 1 s, then 2 s, for
/// ``BulkOptions/maxOutage`` at most. A push that ends before it is sent again has its last answer as its outcome. See
/// ``BulkOptions/resendsRefused`` and ``BulkOptions/onPause``.
///
/// **It ends** with the source: the loop ends, or throws the source's own error. It throws a ``PushError`` if no link
/// was up for ``BulkOptions/maxOutage`` (`timedOut`; `credentialRefused` if the connection is suspended), if it paused for
/// that time (`credentialRefused` for a refusal of the sender, `timedOut` of the layer `apns` for the service), if the
/// connection ends (`closed`, `credentialRefused`, `processFailed`, or `noProcess` for a pid), and for an unknown name.
/// In each case every element that was read has its outcome first. If the source is being read at that moment, the read
/// is cancelled, and the bulk waits for it: see ``BulkOptions/onStop``. ``stop(within:)`` ends the bulk earlier, in
/// order.
///
/// **Cancelling.** If the iterating task is cancelled, `next()` throws `CancellationError`. It does not return nil, so
/// a loop that ends normally has seen everything that was read. After a cancellation, and when the iterator is released
/// (for example by `break`), the source is not read any more, and pushes without an outcome are cancelled. Each still
/// ends once in the connection and is counted there, but its outcome is not delivered.
///
/// A bulk can be iterated once; a second iterator throws `invalidRequest`. Nothing is read before the first `next()`.
public struct Bulk<Outcome: Sendable>: AsyncSequence, Sendable {
    /// How one element of the source ended.
    public typealias Element = Outcome

    fileprivate let launch: BulkLaunch
    private let outcome: @Sendable (BulkResult) -> Outcome?

    init(_ launch: BulkLaunch, _ outcome: @escaping @Sendable (BulkResult) -> Outcome?) {
        self.launch = launch
        self.outcome = outcome
    }

    /// Ends the bulk in order: the source is not read any more, and pushes that were read have the given time to get
    /// their outcome.
    ///
    /// In this time waiting pushes still go out, and pushes in flight may be answered. The rest is then cancelled: each
    /// ends as `cancelled`, with its certainty. After the last outcome the loop ends without an error. A bulk that is
    /// stopped before it is iterated reads nothing. Further calls can only shorten the time. May be called from any
    /// thread.
    ///
    /// - Parameter time: How long to wait for outcomes. Zero cancels all pushes without an outcome at once.
    public func stop(within time: Duration) { launch.stop(within: time) }

    /// The iterator; only the first one returns outcomes.
    public func makeAsyncIterator() -> Iterator { Iterator(BulkIterator(launch), outcome) }

    /// Returns the outcomes. Must not be used by two tasks at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private var results: BulkIterator
        private let outcome: @Sendable (BulkResult) -> Outcome?

        init(_ results: BulkIterator, _ outcome: @escaping @Sendable (BulkResult) -> Outcome?) {
            self.results = results
            self.outcome = outcome
        }

        /// The next outcome; nil after the last one, and after an error was thrown.
        public mutating func next() async throws -> Outcome? { try await next(isolation: nil) }

        /// The next outcome. If one is available, the call does not leave the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Outcome? {
            repeat {
                while let result = results.atHand() {
                    if let outcome = outcome(result) { return outcome }
                }
            } while try await results.wait(isolation: actor)
            return nil
        }
    }
}

extension Bulk {
    /// Passes the results to `body` in batches, each as an iterator whose results at hand it takes. A loop over the
    /// sequence does the same, with an asynchronous call for each outcome.
    package func forEachBatch(_ body: (inout BulkIterator) -> Void) async throws {
        var results = BulkIterator(launch)
        while try await results.wait(isolation: nil) { body(&results) }
    }
}

/// The outcomes of many pushes, see ``Bulk``.
public typealias BulkPush = Bulk<BulkOutcome>

/// How one push of a bulk ended.
public struct BulkOutcome: Sendable {
    /// Its position in the source, from 0.
    public let index: Int
    /// The push as the source returned it, with its context.
    public let push: Push
    /// The push's number. A ``LateResponse`` to a push that timed out has the same number, and the stream of its error.
    public let pushID: PushID
    /// The apns-id that was made for it, or that it had; nil if APNs makes one.
    public let apnsID: APNSID?
    /// The answer, or an error. A rejection is an answer, see `PushResponse`.
    public let result: Result<PushResponse, PushError>
    /// How often it was written: 0 if never, more than 1 if it was resent.
    public let attempts: Int

    /// How it ended, as a value to store and to count. Without the time.
    public var outcome: PushOutcome { PushOutcome(result, apnsID: apnsID, attempts: attempts) }

    init?(_ result: BulkResult) {
        guard let push = result.record.push else { return nil }
        index = result.index
        self.push = push
        pushID = result.record.id
        apnsID = result.record.apnsID
        self.result = result.result
        attempts = result.attempts
    }
}

/// The outcomes of many broadcasts, see ``Bulk``.
///
/// ```swift
/// let goals = matches.map { Broadcast($0.update, to: $0.channel, context: $0.id) }
/// for try await outcome in live.broadcasts.bulk(goals) where outcome.isChannelGone {
///     await forget(outcome.broadcast.channel)
/// }
/// ```
public typealias BulkBroadcast = Bulk<BulkBroadcastOutcome>

/// How one broadcast of a bulk ended.
public struct BulkBroadcastOutcome: Sendable {
    /// Its position in the source, from 0.
    public let index: Int
    /// The broadcast with its context, and with the bundle id that it was sent for.
    public let broadcast: Broadcast
    /// The broadcast's number, as in a ``LateResponse``.
    public let pushID: PushID
    /// The answer, or an error. A rejection is an answer, see `PushResponse`.
    public let result: Result<PushResponse, PushError>
    /// How often it was written: 0 if never, more than 1 if it was resent.
    public let attempts: Int

    /// How it ended, as a value to store and to count. Without the time.
    public var outcome: PushOutcome { PushOutcome(result, attempts: attempts) }

    /// Whether APNs said that the channel does not exist.
    public var isChannelGone: Bool { (try? result.get())?.advice == .forgetChannel }

    init?(_ result: BulkResult) {
        guard let broadcast = result.record.broadcast else { return nil }
        index = result.index
        self.broadcast = broadcast
        pushID = result.record.id
        self.result = result.result
        attempts = result.attempts
    }
}
