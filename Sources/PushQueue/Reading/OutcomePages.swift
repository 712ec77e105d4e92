import ProcessRuntime

/// Outcomes as they come, see ``PushQueueReader/outcomes(_:after:marking:interval:maxOutage:time:)``.
///
/// It ends when its task is cancelled. It throws what the queue throws: `invalidEntry` if the queue did not return the
/// position, `unreachable` after an outage that lasted too long. After an error, begin again at the position that you
/// stored. Each loop over it begins at the same position.
public struct OutcomePages: AsyncSequence, Sendable {
    /// Outcomes, the positions of those that cannot be read, and the position to store once they are dealt with.
    public typealias Element = OutcomePage
    /// What the queue throws.
    public typealias Failure = QueueError

    /// How many outcomes are read at once.
    package static let pageSize = 1_000
    /// Between two tries while the queue does not answer.
    package static let retryPause = Duration.seconds(1)

    let reader: any PushQueueReader
    let list: OutcomeList
    let position: String?
    let isMarking: Bool
    let interval: Duration
    let maxOutage: Duration
    let time: any TimeSource

    /// Begins at the position.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self, position: position) }

    /// Reads one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// What the queue throws.
        public typealias Failure = QueueError

        fileprivate let pages: OutcomePages
        fileprivate var position: String?
        private var silentSince: MonotonicInstant?
        private var isOver = false

        fileprivate init(pages: OutcomePages, position: String?) {
            self.pages = pages
            self.position = position
        }

        /// The next page, as soon as there is one; nil once the task is cancelled, and after an error.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(QueueError) -> OutcomePage? {
            while !isOver, !Task.isCancelled {
                guard let page = try await look(isolation: actor) else {
                    await pages.time.sleep(for: OutcomePages.retryPause)
                    continue
                }
                position = page.position ?? position
                if !page.isEmpty { return page }
                await pages.time.sleep(for: pages.interval)
            }
            isOver = true
            return nil
        }

        /// What is stored now; nil if the queue does not answer, and may still do so.
        private mutating func look(
            isolation actor: isolated (any Actor)?
        ) async throws(QueueError) -> OutcomePage? {
            do throws(QueueError) {
                let page = try await pages.reader.outcomes(
                    pages.list, after: position, limit: OutcomePages.pageSize, marking: pages.isMarking)
                silentSince = nil
                return page
            } catch {
                let now = pages.time.now
                let since = silentSince ?? now
                silentSince = since
                if error.code == .unreachable, Task.isCancelled || since.duration(to: now) < pages.maxOutage {
                    return nil
                }
                isOver = true
                throw error
            }
        }
    }
}
