extension Ledger {
    /// A broadcast or a request on the management port as it arrived, and the decision about it.
    public struct ChannelRecord: Sendable, Hashable, RecordedPayload {
        /// The connection on which it arrived.
        public let connection: ConnectionID
        /// Its HTTP/2 stream.
        public let stream: Int32
        /// The requested action; nil if the path is unknown or does not support the method.
        public let action: ChannelAction?
        /// The bundle id as it was in the path; empty if the path is unknown.
        public let bundleID: String
        /// The `apns-channel-id` of the request, or of the answer if a channel was created; otherwise nil.
        public let channelID: String?
        /// The `apns-request-id` of the request, or nil.
        public let requestID: String?
        /// The `apns-expiration` of the request, unchanged, or nil.
        public let expiration: String?
        /// The `apns-priority` of the request, unchanged, or nil.
        public let priority: String?
        /// The `apns-push-type` of the request, or nil.
        public let pushType: String?
        /// The body. For a broadcast it is the notification's JSON, at most the first 5,120 bytes. Empty unless
        /// ``Ledger/Detail/keepsPayloads``.
        public private(set) var payload: [UInt8]
        /// The length of the body, including bytes that were not kept.
        public let bodyCount: Int
        /// The status of the answer.
        public let status: Int
        /// Why it was refused; nil if it was accepted.
        public let refusal: Refusal?
        /// The number of its provider token. Tokens of device pushes are numbered together with these: see
        /// ``Record/providerToken``.
        public let providerToken: Int?
        /// When it was processed, in milliseconds since 1970.
        package let wallClock: Int64
        /// The header fields: see ``Record/headerLines``.
        package private(set) var headerLines: [UInt8]

        var keptBytes: Int {
            MemoryLayout<Self>.stride
                + KeptSize.of([bundleID, channelID, requestID, expiration, priority, pushType])
                + KeptSize.of(payload) + KeptSize.of(headerLines)
        }

        /// What a ledger with this detail keeps of it.
        func trimmed(to detail: Detail) -> Self {
            var kept = self
            if !detail.keepsPayloads { kept.payload = [] }
            if !detail.keepsHeaders { kept.headerLines = [] }
            return kept
        }

        init(_ entry: ChannelLedgerEntry, payload: [UInt8], providerToken: Int?) {
            connection = entry.connection
            stream = entry.stream
            action = entry.action
            bundleID = entry.bundleID.text
            channelID = entry.channelID?.text
            requestID = entry.requestID?.text
            expiration = entry.expiration?.text
            priority = entry.priority?.text
            pushType = entry.pushType?.text
            self.payload = payload
            bodyCount = entry.bodyCount
            status = entry.status
            refusal = entry.verdict.refusal
            self.providerToken = providerToken
            wallClock = entry.wallClock
            headerLines = entry.headerLines
        }
    }
}

/// A broadcast or a request about channels that is about to be added to the ledger.
struct ChannelLedgerEntry {
    let connection: ConnectionID
    let stream: Int32
    /// Whether it arrived on the push port.
    let isBroadcast: Bool
    let action: ChannelAction?
    let bundleID: Octets
    let channelID: Octets?
    let requestID: Octets?
    let expiration: Octets?
    let priority: Octets?
    let pushType: Octets?
    let payload: [UInt8]
    let bodyCount: Int
    let bearer: Octets?
    let headerLines: [UInt8]
    /// When it was processed, in milliseconds since 1970.
    let wallClock: Int64
    let verdict: Verdict
    let status: Int

    init(
        connection: ConnectionID, stream: Int32, request: ChannelRequest, push: PushRequest,
        verdict: Verdict, reply: ChannelReply, wallClock: Int64
    ) {
        self.connection = connection
        self.stream = stream
        isBroadcast = request.service == .push
        action = request.action(push.method)
        bundleID = request.bundleID
        channelID = reply.channelID.map { Octets(Array($0.utf8)) } ?? request.channelID
        requestID = request.requestID
        expiration = push.expiration
        priority = push.priority
        pushType = push.pushType
        payload = push.body
        bodyCount = push.bodyCount
        bearer = push.bearer
        headerLines = push.headerLines
        self.wallClock = wallClock
        self.verdict = verdict
        status = verdict.refusal?.status ?? reply.status
    }
}
