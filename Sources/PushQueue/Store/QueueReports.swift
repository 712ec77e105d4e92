import Foundation

/// Outcomes, and where to go on reading.
public struct OutcomePage: Sendable {
    /// The outcomes; empty if there are no more yet.
    public let outcomes: [QueueOutcome]
    /// The position behind them, for the next call; nil if nothing was ever stored.
    public let position: String?

    /// Makes a page.
    public init(_ outcomes: [QueueOutcome], position: String?) {
        self.outcomes = outcomes
        self.position = position
    }
}

/// An entry that is not pushed: it cannot be read, or three workers died with it.
public struct DeadLetter: Sendable {
    /// What is stored; an error if it cannot be read.
    public let entry: Result<QueueEntry, QueueError>
    /// Why it is here.
    public let reason: String

    /// Makes a dead letter.
    public init(_ entry: Result<QueueEntry, QueueError>, reason: String) {
        self.entry = entry
        self.reason = reason
    }
}

/// How full a queue is. All numbers but ``tokens`` count entries.
public struct QueueStatus: Sendable, Hashable {
    /// How many wait.
    public var waiting = 0
    /// How many wait for their time.
    public var delayed = 0
    /// How many the workers have taken, by worker.
    public var taken: [WorkerID: Int] = [:]
    /// How many are dead letters.
    public var dead = 0
    /// When the oldest waiting one was put in; nil if none waits.
    public var oldest: Date?
    /// How many outcomes are stored.
    public var outcomes = 0
    /// How many outcomes were removed unread because their list was full.
    public var outcomesCut = 0

    /// Makes a status of an empty queue.
    public init() {}
}
