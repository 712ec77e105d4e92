/// What becomes of a push that is called while its connection's queue, or the runtime's byte budget, is full.
public struct WhenFull: Sendable, Hashable, CustomStringConvertible {
    /// The policy's name.
    public let description: String

    /// The async and the blocking form wait for room, first come, first served, 10,000 callers at most, within their
    /// time. The completion form and `send` have nobody who could wait: they are refused as with ``reject``. The
    /// default.
    public static let wait = Self(description: "wait")

    /// The push is refused at once: `PushError.Code.overloaded`, with in flight, waiting and limit.
    public static let reject = Self(description: "reject")

    /// The push is taken in, and the oldest one that waits goes: the first in call order that was never written. It
    /// ends with `PushError.Code.dropped`, not sent; fire and forget is handed back. A push that came back unprocessed
    /// is never dropped, nor is one whose caller waited for room. Only while nothing at all can be dropped, because
    /// answers that nobody has taken fill the queue, the new push is refused.
    public static let dropOldest = Self(description: "dropOldest")
}
