/// How one push of a bulk ended.
public struct BulkOutcome: Sendable {
    /// Its position in the source, from 0.
    public let index: Int
    /// The push as the source gave it, with its context.
    public let push: Push
    /// The answer, or why there is none. A rejection is an answer, see `PushResponse`.
    public let result: Result<PushResponse, PushError>
    /// How often it was written: 0 if it never was, more than 1 if it was sent again.
    public let attempts: Int

    init(index: Int, push: Push, result: Result<PushResponse, PushError>, attempts: Int) {
        self.index = index
        self.push = push
        self.result = result
        self.attempts = attempts
    }
}
