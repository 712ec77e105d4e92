/// The outcomes of many pushes, in the order they came: one for each element of the source.
///
/// ```swift
/// for try await outcome in runtime.push(name: "orders", contentsOf: pushes) {
///     if case .failure(let error) = outcome.result { print(outcome.index, error) }
/// }
/// ```
/// **Back-pressure both ways, constant memory.** The source is read only while fewer pushes are without an outcome, or with one
/// that you have not taken, than a link takes at a time and 256 more. It is read on a queue of its own, so it may block. An outcome
/// that nobody takes holds no stream: you may push to the same connection inside the loop, as slowly as you like.
///
/// **An outage pauses it.** While no link is up nothing is read, and what was read waits without a timeout: timeouts count
/// from the latest write. A full queue makes it wait, too; no push ends as `overloaded`. A push that cannot be sent is an
/// outcome like any other and stops nothing.
///
/// **It ends** with the source: the loop ends, or throws the source's own error. It throws a ``PushError`` once no link was up
/// for ``BulkOptions/maxOutage`` (`timedOut`; `credentialRefused` if the connection is suspended), if the connection ends
/// (`closed`, `credentialRefused`, `processFailed`, for a pid `noProcess`), and for an unknown name. In each case every element
/// that was read has had its outcome before; a source that is being read then is cancelled, and waited for.
///
/// **Cancelling.** If the task that iterates is cancelled, `next()` throws `CancellationError` – it does not return nil, so a
/// loop that ends by itself has seen everything. Then, and when the iterator is released, as by `break`, the source is not
/// read any more, and what has no outcome is withdrawn: it still ends once in the connection, as its counters show, but nobody
/// is told.
///
/// It can be iterated once; a second iterator throws `invalidRequest`. Nothing is read before the first `next()`.
public struct BulkPush: AsyncSequence, Sendable {
    /// How one push ended.
    public typealias Element = BulkOutcome

    private let launch: BulkLaunch

    init(_ launch: BulkLaunch) { self.launch = launch }

    /// The iterator; only the first one gives outcomes.
    public func makeAsyncIterator() -> Iterator { Iterator(BulkIterator(launch)) }

    /// Gives the outcomes. Not to be used by two tasks at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private var results: BulkIterator

        init(_ results: BulkIterator) { self.results = results }

        /// The next outcome; nil after the last one, and after an error was thrown.
        public mutating func next() async throws -> BulkOutcome? { try await next(isolation: nil) }

        /// The next outcome, without leaving the caller's actor if there is one already.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> BulkOutcome? {
            while let result = try await results.next(isolation: actor) {
                guard case .push(let push) = result.item else { continue }
                return BulkOutcome(index: result.index, push: push, result: result.result, attempts: result.attempts)
            }
            return nil
        }
    }
}
