import PushCampaign
import PushQueue
import PushTerminal

/// Follows the outcomes for `queue put --wait`, until each token that was put has one, a signal comes, or none can come
/// any more, or none has come for too long.
struct OutcomeWait: Sendable {
    struct Standing: Sendable {
        /// Nothing is put any more.
        var isOver: Bool
        /// A signal has come.
        var isStopped: Bool
    }

    /// Between two tries while the queue does not answer.
    static let retryPause = OutcomePages.retryPause

    let store: any PushQueueReader
    let book: WaitBook
    let standing: @Sendable () -> Standing
    let say: @Sendable (String) -> Void
    /// Seconds since the run began.
    let now: @Sendable () -> Double
    let pause: @Sendable (Duration) async -> Void
    /// What lies before it was there before anything was put.
    private let position: String?
    private var patience: WaitPatience
    private let limit: Double

    /// - Parameters:
    ///   - position: The position after the last outcome before anything was put.
    ///   - limit: The longest time without an outcome, in seconds.
    ///   - start: The seconds since the run began before which nothing can come.
    init(
        _ store: any PushQueueReader, _ book: WaitBook, after position: String? = nil, limit: Double, start: Double = 0,
        standing: @escaping @Sendable () -> Standing, say: @escaping @Sendable (String) -> Void,
        now: @escaping @Sendable () -> Double,
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        (self.store, self.book, self.position, self.limit) = (store, book, position, limit)
        (self.standing, self.say, self.now, self.pause) = (standing, say, now, pause)
        patience = WaitPatience(limit: limit, start: start)
    }

    /// Returns when there is nothing to wait for any more.
    ///
    /// - Throws: What the store throws. It is asked again after `unreachable`, as long as the wait lasts.
    mutating func run() async throws(QueueError) {
        var follower = OutcomeFollower(store, after: position, marking: false)
        var wasIdle = false
        var lastError: QueueError?
        var unreadable = UnreadableOutcomes()
        while true {
            let standing = standing()
            var isEmpty = true
            do throws(QueueError) {
                let page = try await follower.next()
                isEmpty = page.isEmpty
                for line in unreadable.lines(page) { say(line) }
                let own = book.settle(page.outcomes)
                if own > 0 || !standing.isOver { patience.heard(at: now()) }
                if isEmpty, standing.isOver, !standing.isStopped, book.open > 0 {
                    if wasIdle { return tellAbandoned(book.abandon()) }
                    // One more look at the outcomes: the last ones may have come in between.
                    wasIdle = try await store.status().isIdle
                }
                lastError = nil
            } catch {
                guard error.code == .unreachable else { throw error }
                if lastError == nil { say(Self.askingAgain(error)) }
                lastError = error
            }
            if standing.isOver {
                if book.open == 0 || standing.isStopped { return }
                if try isOutOfPatience(lastError) { return }
            }
            if lastError != nil {
                await pause(Self.retryPause)
            } else if isEmpty, !wasIdle {
                await pause(OutcomeFollower.pause)
            }
        }
    }

    /// Said once when the queue does not answer.
    static func askingAgain(_ error: QueueError) -> String { "pushctl: \(error) Asking again.".onOneLine }

    private mutating func isOutOfPatience(_ error: QueueError?) throws(QueueError) -> Bool {
        switch patience.step(at: now()) {
        case .goOn: return false
        case .report(let left):
            say(
                "pushctl: waiting for the outcomes of \(Figures.grouped(book.open)) tokens, the first in line "
                    + "\(book.firstOpenLine ?? 0); none has come for a minute or more, and the waiting ends in "
                    + Figures.wait(left))
            return false
        case .giveUp:
            if let error { throw error }
            say(
                "pushctl: no outcome has come for \(Figures.wait(limit)), see --max-wait; "
                    + "\(Figures.grouped(book.abandon())) tokens have none, and may still be pushed")
            return true
        }
    }

    private func tellAbandoned(_ count: Int) {
        say(
            "pushctl: \(Figures.grouped(count)) tokens have no outcome, and the queue is empty: their entries were "
                + "cancelled or are dead letters, or the outcomes were removed before they were read")
    }
}

extension QueueStatus {
    /// Nothing is left that could get an outcome.
    fileprivate var isIdle: Bool { waiting == 0 && delayed == 0 && taken == 0 }
}
