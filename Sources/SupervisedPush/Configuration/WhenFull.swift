/// What to do with a push if its connection's queue, or the runtime's byte budget, is full.
public struct WhenFull: Sendable, Hashable, CustomStringConvertible {
    /// The policy's name.
    public let description: String

    /// The async and the blocking form wait for room until their time is over, in order, at most 10,000 callers. The
    /// completion form and `send` cannot wait: they are refused as with ``reject``. The default.
    public static let wait = Self(description: "wait")

    /// The push is refused at once with `PushError.Code.overloaded`, which says how many pushes are in flight and
    /// waiting, and the limit.
    public static let reject = Self(description: "reject")

    /// The push is accepted, and the oldest waiting push is dropped: the first in call order that was never written. It
    /// ends with `PushError.Code.dropped`, not sent; a fire-and-forget push is handed back. A push that came back
    /// unprocessed is never dropped, nor is one whose caller waited for room. The new push is refused only if nothing
    /// can be dropped, because answers whose completions have not returned fill the queue.
    public static let dropOldest = Self(description: "dropOldest")
}
