import PushHTTP2

extension Ledger {
    /// The counters of a simulator since it was created, over all connections.
    public struct Snapshot: Sendable, Hashable {
        /// Device pushes that were processed: checked and recorded, whether they were answered or not.
        public internal(set) var pushes = 0
        /// Device pushes that were accepted: status 200.
        public internal(set) var accepted = 0
        /// Device pushes that were refused, by reason.
        public internal(set) var refusals: [Refusal: Int] = [:]
        /// Complete answers that were passed to HTTP/2, including malformed ones. The other ``pushes`` were held,
        /// delayed, reset, cut off, or got half an answer.
        public internal(set) var answered = 0
        /// Streams that a fault ended with RST_STREAM instead of an answer.
        public internal(set) var resets = 0
        /// How often fault rules took effect. More than the length of ``Faults/firings`` if that is full.
        public internal(set) var faults = 0
        /// Accepted connections, including those that a fault turned away.
        public internal(set) var connections = 0
        /// Connections whose TLS handshake succeeded.
        public internal(set) var handshakes = 0
        /// Connections that are open now.
        public internal(set) var openConnections = 0
        /// Device tokens, apns-ids and channels that were not counted one by one, because the ledger's limit was
        /// reached.
        public internal(set) var uncounted = 0
        /// Requests that were not kept because one of the ledger's limits was reached. 0 if the ledger keeps no
        /// records.
        public internal(set) var unrecorded = 0
        /// Requests that were not processed, because their header list was longer than the simulator announces. They got
        /// status 431. No other counter includes them.
        public internal(set) var oversizedHeaders = 0
        /// Broadcasts. No other counter of pushes and answers includes them.
        public internal(set) var broadcasts = Tally()
        /// Requests on the management port. No other counter of pushes and answers includes them.
        public internal(set) var channelRequests = Tally()

        /// Device pushes that were refused, for any reason.
        public var refused: Int { pushes - accepted }
    }

    /// How often a device token, an apns-id or a channel was pushed to.
    public struct Count: Sendable, Hashable {
        /// How often a push was accepted.
        public internal(set) var accepted = 0
        /// How often a push was refused.
        public internal(set) var refused = 0

        mutating func add(_ isAccepted: Bool) {
            if isAccepted { accepted += 1 } else { refused += 1 }
        }
    }

    /// A device push as it arrived, and the decision about it. Header values are unchanged, even if they were refused.
    public struct Record: Sendable, Hashable, RecordedPayload {
        /// The connection on which it arrived.
        public let connection: ConnectionID
        /// Its HTTP/2 stream.
        public let stream: Int32
        /// The device token as it was in the path.
        public let deviceToken: String
        /// The `apns-id` of the request, or nil.
        public let apnsID: String?
        /// The `apns-collapse-id` of the request, or nil.
        public let collapseID: String?
        /// The `apns-topic` of the request, or nil.
        public let topic: String?
        /// The `apns-push-type` of the request, such as `alert`, or nil.
        public let pushType: String?
        /// The `apns-priority` of the request: `10`, `5` or `1`, or nil, which APNs treats as 10.
        public let priority: String?
        /// The `apns-expiration` of the request, in seconds since 1970, or nil.
        public let expiration: String?
        /// The notification's JSON, at most the first 5,120 bytes, which is the longest payload that APNs accepts.
        /// Empty unless ``Detail/keepsPayloads``.
        public private(set) var payload: [UInt8]
        /// The length of the body, including bytes that were not kept.
        public let bodyCount: Int
        /// The status of the answer.
        public let status: Int
        /// Why it was refused; nil if it was accepted.
        public let refusal: Refusal?

        /// The number of its provider token: 1, 2, 3 … in the order in which tokens first arrived. Nil without a token,
        /// and for tokens after the 10,000th.
        public let providerToken: Int?
        /// When it was processed, in milliseconds since 1970.
        package let wallClock: Int64
        /// The header fields in the order in which they arrived, as lines `name: value`. The value of `authorization`
        /// is left out. Empty unless ``Detail/keepsHeaders``.
        package private(set) var headerLines: [UInt8]

        var keptBytes: Int {
            MemoryLayout<Self>.stride
                + KeptSize.of([deviceToken, apnsID, collapseID, topic, pushType, priority, expiration])
                + KeptSize.of(payload) + KeptSize.of(headerLines)
        }

        /// What a ledger with this detail keeps of it.
        func trimmed(to detail: Detail) -> Self {
            var kept = self
            if !detail.keepsPayloads { kept.payload = [] }
            if !detail.keepsHeaders { kept.headerLines = [] }
            return kept
        }

        init(_ entry: LedgerEntry, _ whole: LedgerEntry.Whole, providerToken: Int?) {
            let request = whole.request
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
            wallClock = whole.wallClock
            headerLines = request.headerLines
            status = entry.verdict.status
            refusal = entry.verdict.refusal
        }
    }
}

/// A push that is about to be added to the ledger.
struct LedgerEntry {
    let connection: ConnectionID
    let stream: Int32
    let token: Octets?
    let message: Octets?
    let verdict: Verdict
    /// The whole request; nil if the ledger keeps no records and there is no observer.
    let whole: Whole?

    /// The provider token of a whole request.
    var bearer: Octets?
    /// What an export counts of it; nil without an export.
    var delivery: MetricFigures.Delivery?

    /// A class, so that an entry without a request stays small.
    final class Whole: @unchecked Sendable {
        // Sendable: it is changed only before its entry is handed over.

        private enum Kept {
            /// For a ledger that keeps records, which reads it at once.
            indirect case request(PushRequest, answeredID: Octets?)
            /// For an observer alone.
            case small(KeptRequest)
        }

        private var kept: Kept?
        /// When it was processed, in milliseconds since 1970.
        let wallClock: Int64
        /// What an observer sees beside the record.
        var sender: ProviderIdentity?
        var refusedAt: Int?

        /// One that gets its request later.
        init(wallClock: Int64) { self.wallClock = wallClock }

        init(_ request: PushRequest, wallClock: Int64) {
            kept = .request(request, answeredID: nil)
            self.wallClock = wallClock
        }

        func keep(_ request: PushRequest, answeredID: Octets?) { kept = .request(request, answeredID: answeredID) }

        func keep(_ request: KeptRequest) { kept = .small(request) }

        var request: PushRequest {
            switch kept {
            case .request(let request, _): request
            case .small(let request): request.request
            case nil: PushRequest()
            }
        }

        /// The `apns-id` of the answer; nil if it is the request's.
        var answeredID: Octets? {
            switch kept {
            case .request(_, let id): id
            case .small(let request): request.answeredID
            case nil: nil
            }
        }

        /// About how many bytes the header fields and the body take.
        var bytes: Int {
            switch kept {
            case .request(let request, _): request.headers.bytes.count + request.body.count
            case .small(let request): request.bytes
            case nil: 0
            }
        }
    }
}

/// Identifies a device token, an apns-id, a channel or a provider token by two hashes of its bytes, so that a key of
/// any length takes 16 bytes. Hex digits are hashed without case. Two different keys are practically never equal.
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
