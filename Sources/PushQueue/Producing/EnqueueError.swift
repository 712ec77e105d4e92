/// Not all tokens were put into a queue, see ``PushQueueProducer/enqueue(_:to:notBefore:deadline:neverRepeats:isUrgent:)``.
///
/// To go on, put ``failed`` in with ``PushQueueProducer/enqueue(_:)``, and then the tokens that follow those of
/// ``put`` and ``failed``.
public struct EnqueueError: Error, Sendable, CustomStringConvertible {
    /// Why a call to the queue failed.
    public let cause: QueueError
    /// The entries that are in the queue, in the order of their tokens, unless the cause is `lost`: then they may be lost,
    /// too. Empty if nothing was put in.
    public let put: [EntryID]
    /// How many tokens those have, from the first.
    public let putTokens: Int
    /// The entries of the call that failed: the tokens that follow. They are not in the queue, except perhaps where the
    /// cause is `unreachable`. Within a minute, what the queue has of them already it does not take twice.
    public let failed: [QueueEntry]

    /// Makes an error.
    public init(_ cause: QueueError, put: [EntryID], putTokens: Int, failed: [QueueEntry]) {
        self.cause = cause
        self.put = put
        self.putTokens = putTokens
        self.failed = failed
    }

    /// What happened and what to do, without a token or a payload.
    public var description: String {
        let first = cause.code == .lost ? "were put in before the queue was lost" : "are in the queue"
        let next = failed.reduce(0) { $0 + $1.tokens.count }
        let second = cause.code == .unreachable ? "may be in it" : "are not in it"
        return "\(cause.description) The first \(putTokens) tokens \(first). The next \(next) \(second): "
            + "put the entries of failed in again."
    }
}
