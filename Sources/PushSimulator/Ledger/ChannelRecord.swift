extension Ledger {
    /// One broadcast, or one request on the management port, as it was received and judged.
    public struct ChannelRecord: Sendable, Hashable, RecordedPayload {
        /// The connection it came on.
        public let connection: ConnectionID
        /// Its HTTP/2 stream.
        public let stream: Int32
        /// What was asked for; nil where the path is unknown or does not have the method.
        public let action: ChannelAction?
        /// The bundle id, as it stood in the path; empty where the path is unknown.
        public let bundleID: String
        /// The `apns-channel-id` of the request, or of the answer where a channel was made, or nil.
        public let channelID: String?
        /// The `apns-request-id` of the request, or nil.
        public let requestID: String?
        /// The `apns-expiration` of the request, as it came, or nil.
        public let expiration: String?
        /// The `apns-priority` of the request, as it came, or nil.
        public let priority: String?
        /// The `apns-push-type` of the request, or nil.
        public let pushType: String?
        /// The body: of a broadcast the notification's JSON, at most its first 5,120 bytes. Empty where ``Ledger/Detail/payloadBytes``
        /// is 0.
        public let payload: [UInt8]
        /// Bytes of the body, also of those that were not kept.
        public let bodyCount: Int
        /// The status of its answer.
        public let status: Int
        /// Why it was refused, or nil.
        public let refusal: Refusal?
        /// Which provider token it bore, numbered together with those of the pushes to devices: see ``Record/providerToken``.
        public let providerToken: Int?

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
        }
    }
}

/// A broadcast or a request about channels on its way into the ledger.
struct ChannelLedgerEntry {
    let connection: ConnectionID
    let stream: Int32
    /// It came to the push port.
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
    let verdict: Verdict
    let status: Int

    init(
        _ connection: ConnectionID, _ stream: Int32, _ request: ChannelRequest, _ push: PushRequest,
        _ verdict: Verdict, _ reply: ChannelReply
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
        self.verdict = verdict
        status = verdict.refusal?.status ?? reply.status
    }
}
