extension Ledger {
    /// The counters of a simulator since it was made, over all its connections.
    public struct Snapshot: Sendable, Hashable {
        /// Pushes to devices that were processed: judged and entered, answered or not.
        public internal(set) var pushes = 0
        /// Those that were accepted: status 200.
        public internal(set) var accepted = 0
        /// Those that were refused, by reason.
        public internal(set) var refusals: [Refusal: Int] = [:]
        /// Whole answers that were given to HTTP/2 to be written, malformed ones included; the rest of ``pushes`` was held back, delayed,
        /// reset, cut off or answered by half.
        public internal(set) var answered = 0
        /// Streams that were ended by RST_STREAM instead of an answer, by a fault.
        public internal(set) var resets = 0
        /// Times a fault rule took effect: the length of ``Faults/firings``, and more where that is full.
        public internal(set) var faults = 0
        /// Connections that were accepted, those that a fault turned away included.
        public internal(set) var connections = 0
        /// Connections whose TLS handshake succeeded.
        public internal(set) var handshakes = 0
        /// Connections open at this moment.
        public internal(set) var openConnections = 0
        /// Device tokens, apns-ids and channels that were not counted one by one, because the ledger's limit was reached.
        public internal(set) var uncounted = 0
        /// Requests that were not kept whole although the ledger keeps records, because one of its limits was reached. 0 where it keeps
        /// none.
        public internal(set) var unrecorded = 0
        /// Broadcasts. They are in no other counter of pushes and answers.
        public internal(set) var broadcasts = Tally()
        /// Requests on the management port. They are in no other counter of pushes and answers.
        public internal(set) var channelRequests = Tally()

        /// Those that were refused, for whatever reason.
        public var refused: Int { pushes - accepted }
    }

    /// How often one device token or apns-id was pushed.
    public struct Count: Sendable, Hashable {
        /// Times it was accepted.
        public internal(set) var accepted = 0
        /// Times it was refused.
        public internal(set) var refused = 0

        mutating func add(_ isAccepted: Bool) {
            if isAccepted { accepted += 1 } else { refused += 1 }
        }
    }

    /// One push to a device as it was received and judged. Header values stand as they came, also where they were refused.
    public struct Record: Sendable, Hashable, RecordedPayload {
        /// The connection it came on.
        public let connection: ConnectionID
        /// Its HTTP/2 stream.
        public let stream: Int32
        /// The device token, as it stood in the path.
        public let deviceToken: String
        /// The `apns-id` of the request, or nil.
        public let apnsID: String?
        /// The `apns-collapse-id` of the request, or nil.
        public let collapseID: String?
        /// The `apns-topic` of the request, or nil.
        public let topic: String?
        /// The `apns-push-type` of the request, such as `alert`, or nil.
        public let pushType: String?
        /// The `apns-priority` of the request: `10`, `5` or `1`, or nil, which APNs takes for 10.
        public let priority: String?
        /// The `apns-expiration` of the request, in seconds since 1970, or nil.
        public let expiration: String?
        /// The notification's JSON: at most the first 5,120 bytes, the longest that APNs accepts. Empty where ``Detail/payloadBytes``
        /// is 0.
        public let payload: [UInt8]
        /// Bytes of the body, also of those that were not kept.
        public let bodyCount: Int
        /// The status of its answer.
        public let status: Int
        /// Why it was refused, or nil.
        public let refusal: Refusal?

        /// Which provider token it bore: 1, 2, 3 … in the order they were first seen; nil without one, and beyond the
        /// 10,000th.
        public let providerToken: Int?

        init(_ entry: LedgerEntry, _ request: PushRequest, providerToken: Int?) {
            self.providerToken = providerToken
            connection = entry.connection
            stream = entry.stream
            deviceToken = entry.token?.text ?? ""
            apnsID = entry.message?.text
            collapseID = request.collapseID?.text
            topic = request.topic?.text
            pushType = request.pushType?.text
            priority = request.priority?.text
            expiration = request.expiration?.text
            payload = request.body
            bodyCount = request.bodyCount
            status = entry.verdict.status
            refusal = entry.verdict.refusal
        }
    }
}

/// A push on its way into the ledger.
struct LedgerEntry {
    let connection: ConnectionID
    let stream: Int32
    let token: Octets?
    let message: Octets?
    let verdict: Verdict
    /// The whole request; nil where the ledger keeps no records.
    let whole: Whole?

    /// A box, so that an entry without one costs nothing more.
    final class Whole {
        let request: PushRequest
        init(_ request: PushRequest) { self.request = request }
    }
}

/// Stands for a device token or an apns-id, or for a provider token: two hashes of its bytes, of hex digits without case, so that a key of any length takes 16 bytes.
/// Two keys that are taken for one are less likely than a broken disk.
struct LedgerKey: Hashable {
    private let high: Int
    private let low: Int

    init(_ bytes: Octets) {
        var first = Hasher()
        var second = Hasher()
        second.combine(0x9E37)
        bytes.withUnsafeBytes {
            first.combine(bytes: $0)
            second.combine(bytes: $0)
        }
        high = first.finalize()
        low = second.finalize()
    }

    init(caseless text: Octets) {
        var first = Hasher()
        var second = Hasher()
        second.combine(0x9E37)
        withUnsafeTemporaryAllocation(byteCount: max(text.count, 1), alignment: 1) { buffer in
            var position = 0
            for byte in text {
                buffer[position] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
                position += 1
            }
            first.combine(bytes: UnsafeRawBufferPointer(rebasing: buffer[..<position]))
            second.combine(bytes: UnsafeRawBufferPointer(rebasing: buffer[..<position]))
        }
        high = first.finalize()
        low = second.finalize()
    }
}
