import PushQueue
import PushTerminal

/// Whether the outcomes of what is put can be kept until they are read.
struct OutcomeRoom: Sendable {
    private let limit: Int
    /// The outcomes that are stored, and those that will be, as far as that is known: an entry has at least one token.
    private let before: Int
    private var hasWarned = false

    /// - Parameter status: The queue before anything was put.
    init(_ status: QueueStatus) {
        limit = status.maxOutcomes ?? OutcomePage.usualLimit
        before = status.outcomes + status.waiting + status.delayed + status.taken
    }

    /// Says once that outcomes may be removed before they are read.
    ///
    /// - Parameter tokens: How many were put.
    mutating func warning(tokens: Int) -> String? {
        guard !hasWarned, before + tokens > limit else { return nil }
        hasWarned = true
        return "pushctl: the queue keeps \(Figures.grouped(limit)) outcomes, and more tokens than that wait or have "
            + "theirs stored: the oldest will be removed, also if they were not read. Read them meanwhile (pushctl queue "
            + "outcomes --follow), or let it keep more (--max-outcomes)"
    }
}
