import ProcessRuntime

extension PushQueueReader {
    /// Outcomes as they come, page by page: first those that are stored, then each that comes, until the task is cancelled.
    ///
    /// ```swift
    /// for try await page in queue.outcomes(after: position) {
    ///     for outcome in page.outcomes { … }
    ///     // Store page.position together with what was done: who begins there misses none.
    /// }
    /// ```
    /// Asking for the next page says that this one was read. So a page whose loop ended early is read again by who begins
    /// at an earlier position, and by no one else.
    ///
    /// - Parameters:
    ///   - list: Which outcomes. Default: all.
    ///   - position: A position that a page had: those after it come. Nil: all that are stored.
    ///   - marking: Whether a page counts as read once the next one is asked for, see ``QueueStatus/outcomesCut``. False
    ///     for one who only looks. Default: true.
    ///   - interval: How long after an empty answer the queue is asked again, from 1 ms. Default: 100 ms.
    ///   - maxOutage: How long a queue that does not answer is asked again, once a second, before it counts as an error.
    ///     Default: 60 s. Zero: not at all.
    ///   - time: The clock for both. Default: the system's.
    /// - Returns: The pages. None of them is empty.
    public func outcomes(
        _ list: OutcomeList = .all, after position: String?, marking: Bool = true,
        interval: Duration = .milliseconds(100), maxOutage: Duration = .seconds(60),
        time: any TimeSource = SystemTime()
    ) -> OutcomePages {
        OutcomePages(
            reader: self, list: list, position: position, isMarking: marking,
            interval: max(.milliseconds(1), interval), maxOutage: maxOutage, time: time)
    }
}
