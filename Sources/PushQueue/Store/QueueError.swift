/// Why a call to a queue failed.
public struct QueueError: Error, Sendable, CustomStringConvertible {
    /// What went wrong.
    @nonexhaustive public enum Code: String, Sendable, Hashable, CustomStringConvertible {
        /// The entry cannot be stored, or what is stored cannot be read; or this queue did not return the
        /// position of outcomes.
        case invalidEntry = "invalid_entry"
        /// The queue has as many entries as it may have, or its disk or its server's memory is full. Nothing was changed.
        case full
        /// The store does not answer. What was asked may have happened.
        case unreachable
        /// The store refused: a login, a right, a version, a policy.
        case refused
        /// What the queue consists of is gone, for example after FLUSHALL. The store has made it again, empty.
        case lost
        /// Another worker has taken over what this one had taken: the store counts it as dead.
        case fenced
        /// The store's own failure, such as a damaged file.
        case failed

        /// The code's name: lower case with underscores, suitable as a metric's label.
        public var description: String { rawValue }
    }

    /// What went wrong.
    public let code: Code
    /// What happened and what to do, without a key, a token or a payload.
    public let description: String

    /// A position of outcomes that the queue did not give out.
    package static var invalidPosition: QueueError {
        QueueError(
            .invalidEntry,
            "The position does not belong to this queue. Use one from an earlier page, or none to start at the beginning."
        )
    }

    /// Makes an error.
    public init(_ code: Code, _ sentence: String) {
        self.code = code
        description = sentence
    }
}
