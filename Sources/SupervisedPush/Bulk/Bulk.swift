/// The outcomes of many pushes or broadcasts, in the order they came: one for each element of the source.
///
/// ```swift
/// for try await outcome in runtime.push(name: "orders", contentsOf: pushes) {
///     if case .failure(let error) = outcome.result { print(outcome.index, error) }
/// }
/// ```
/// **Back-pressure both ways, constant memory.** The source is read only while fewer pushes are without an outcome, or
/// with one that you have not taken, than a link takes at a time and 256 more, or than ``BulkOptions/window`` says. It
/// is read on a queue of its own, so it may block. An outcome that nobody takes holds no stream: you may push to the
/// same connection inside the loop, as slowly as you like.
///
/// **An outage pauses it.** While no link is up no more is read than ``BulkOptions/readAhead`` says, and what was read
/// waits without a timeout: timeouts count from the latest write. A full queue makes it wait, too; no push ends as
/// `overloaded`. A push that cannot be sent is an outcome like any other and stops nothing.
///
/// **It ends** with the source: the loop ends, or throws the source's own error. It throws a ``PushError`` once no link
/// was up for ``BulkOptions/maxOutage`` (`timedOut`; `credentialRefused` if the connection is suspended), if the
/// connection ends (`closed`, `credentialRefused`, `processFailed`, for a pid `noProcess`), and for an unknown name. In
/// each case every element that was read has had its outcome before; a source that is being read then is cancelled, and
/// waited for: see ``BulkOptions/onStop``. ``stop(within:)`` ends it sooner, in order.
///
/// **Cancelling.** If the task that iterates is cancelled, `next()` throws `CancellationError` – it does not return
/// nil, so a loop that ends by itself has seen everything that was read. Then, and when the iterator is released, as by
/// `break`, the source is not read any more, and what has no outcome is withdrawn: it still ends once in the
/// connection, as its counters show, but nobody is told.
///
/// It can be iterated once; a second iterator throws `invalidRequest`. Nothing is read before the first `next()`.
public struct Bulk<Outcome: Sendable>: AsyncSequence, Sendable {
    /// How one element of the source ended.
    public typealias Element = Outcome

    fileprivate let launch: BulkLaunch
    private let outcome: @Sendable (BulkResult) -> Outcome?

    init(_ launch: BulkLaunch, _ outcome: @escaping @Sendable (BulkResult) -> Outcome?) {
        self.launch = launch
        self.outcome = outcome
    }

    /// Ends the bulk in order: the source is read no more, and what was read has a while to get its outcome.
    ///
    /// What waits still goes out in this time, what is in flight may be answered. Then the rest is withdrawn: it ends
    /// as `cancelled`, with its certainty. After the last outcome the loop ends by itself, and throws nothing. A bulk
    /// that is stopped before it is iterated reads nothing. Further calls can only shorten the time. Any thread may
    /// call it.
    ///
    /// - Parameter time: How long to wait for outcomes; zero withdraws what has none at once.
    public func stop(within time: Duration) { launch.stop(within: time) }

    /// The iterator; only the first one gives outcomes.
    public func makeAsyncIterator() -> Iterator { Iterator(BulkIterator(launch), outcome) }

    /// Gives the outcomes. Not to be used by two tasks at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private var results: BulkIterator
        private let outcome: @Sendable (BulkResult) -> Outcome?

        init(_ results: BulkIterator, _ outcome: @escaping @Sendable (BulkResult) -> Outcome?) {
            self.results = results
            self.outcome = outcome
        }

        /// The next outcome; nil after the last one, and after an error was thrown.
        public mutating func next() async throws -> Outcome? { try await next(isolation: nil) }

        /// The next outcome, without leaving the caller's actor if there is one already.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Outcome? {
            while true {
                if let result = results.atHand() {
                    if let outcome = outcome(result) { return outcome }
                } else {
                    guard let result = try await results.next(isolation: actor) else { return nil }
                    if let outcome = outcome(result) { return outcome }
                }
            }
        }
    }
}

extension Bulk where Outcome == BulkOutcome {
    /// Calls `body` with each outcome. A loop over the sequence does the same, and makes an asynchronous call for each.
    package func forEach(_ body: (BulkOutcome) -> Void) async throws {
        var results = BulkIterator(launch)
        while var result = try await results.next(isolation: nil) {
            repeat {
                if let outcome = BulkOutcome(result) { body(outcome) }
                guard let next = results.atHand() else { break }
                result = next
            } while true
        }
    }
}
