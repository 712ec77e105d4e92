extension PushConnection.Configuration {
    /// How much may be in flight and wait, and what happens to a push for which there is no room.
    public struct Limits: Sendable {
        /// The most pushes in flight at a time, 1 or more. APNs' own limit applies if it is lower. Default 1000.
        public var maxInFlight: Int
        /// The most pushes that a new link has in flight before its first answer, 1 or more. Default 64. Each answer
        /// allows one more, up to ``maxInFlight``, so the number doubles with each round trip; a push without an answer
        /// ends this limit. A server that ends each connection after few requests then has little to refuse.
        public var firstFlight: Int
        /// The most pushes that wait, 1 or more. Values above 2,147,483,647 count as that. Default 10,000. Pushes that
        /// are sent again do not count, but while as many of them as this were refused twice, no other push is
        /// accepted.
        public var maxWaiting: Int
        /// The most payload bytes that wait, 8,192 or more. Default 16 MiB.
        public var maxWaitingBytes: Int
        /// The most bytes of JSON that a push or a broadcast over this connection may have, 1 or more. APNs' own limit
        /// for its type always applies. The call refuses a larger payload (`payload_too_large`). Default nil: APNs'
        /// limit alone.
        public var maxPayloadBytes: Int?
        /// What to do with a push if the queue is full. Default `.wait`: the async and blocking forms wait for room,
        /// the others are refused.
        public var whenFull: WhenFull
        /// How long a push may be held back so that later ones can share its write. Default nil: no time; pushes that
        /// are called in one burst share writes of up to 16 KiB. 0: each push is written by itself. Up to 1 s: until
        /// that time is over, or 16 KiB are full. If single pushes are called often, this trades latency for fewer
        /// packets.
        public var flushDelay: Duration?

        /// Makes the group. What is not given has its documented default.
        public init(
            maxInFlight: Int = 1_000, firstFlight: Int = 64, maxWaiting: Int = 10_000, maxWaitingBytes: Int = 16 << 20,
            maxPayloadBytes: Int? = nil, whenFull: WhenFull = .wait, flushDelay: Duration? = nil
        ) {
            self.maxInFlight = maxInFlight
            self.firstFlight = firstFlight
            self.maxWaiting = maxWaiting
            self.maxWaitingBytes = maxWaitingBytes
            self.maxPayloadBytes = maxPayloadBytes
            self.whenFull = whenFull
            self.flushDelay = flushDelay
        }

        /// Refuses values out of range; the error names the value and its range.
        func validate() throws(ConnectError) {
            try ConnectError.require(maxInFlight >= 1, "limits.maxInFlight is \(maxInFlight): it must be 1 or more.")
            try ConnectError.require(firstFlight >= 1, "limits.firstFlight is \(firstFlight): it must be 1 or more.")
            try ConnectError.require(maxWaiting >= 1, "limits.maxWaiting is \(maxWaiting): it must be 1 or more.")
            try ConnectError.require(
                maxWaitingBytes >= 8_192, "limits.maxWaitingBytes is \(maxWaitingBytes): it must be 8192 or more.")
            try ConnectError.require(
                maxPayloadBytes.map { $0 >= 1 } ?? true, "limits.maxPayloadBytes must be 1 or more, or nil.")
            try ConnectError.require(
                flushDelay.map { (.zero ... .seconds(1)).contains($0) } ?? true,
                "limits.flushDelay must be 0 s to 1 s, or nil.")
        }
    }
}

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
