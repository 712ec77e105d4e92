/// The headers of a connection's pushes, used where a push does not set its own.
public struct RequestDefaults: Hashable, Sendable {
    /// The topic. As a default it is the bundle id; the suffix of the push type (`.voip`, …) is added if it is missing.
    /// Required with a provider token. With a certificate, nil means the certificate's subject UID; set a topic if the
    /// certificate lists topics and the UID is not one of them.
    public var topic: Topic?
    /// The priority. If nil, background pushes have 5, calls and Push to Talk 10, and all others no header, which APNs
    /// treats as 10. If a push type does not permit it, the nearest that it permits is sent: 5 for background pushes,
    /// 5 instead of 1 for Live Activities, 10 for calls and Push to Talk.
    public var priority: PushPriority?
    /// Until when APNs stores a push. If nil, no header: up to 30 days. Calls and Push to Talk have 0 unless they set
    /// their own.
    public var expiration: Expiration?
    /// Which earlier push is replaced. If nil, none.
    public var collapseID: CollapseID?
    /// The push type. If nil, inferred from the payload.
    public var pushType: PushType?
    /// Who makes the `apns-id`. Default ``APNSIDPolicy/generated``.
    public var apnsID: APNSIDPolicy
    /// The rules that the connection's pushes waive, in addition to those that a push waives. Default: none.
    public var waived: PushRules
    /// Your own header fields for every push to a device. A push overrides fields with the same name. Default: none.
    public var headers: RequestHeaders

    /// Creates defaults for the pushes of a connection. Every value is optional.
    public init(
        topic: Topic? = nil, priority: PushPriority? = nil, expiration: Expiration? = nil,
        collapseID: CollapseID? = nil, pushType: PushType? = nil, apnsID: APNSIDPolicy = .generated,
        waived: PushRules = [], headers: RequestHeaders = RequestHeaders()
    ) {
        self.topic = topic
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.pushType = pushType
        self.apnsID = apnsID
        self.waived = waived
        self.headers = headers
    }

    /// Creates defaults from a topic that is a text, as configuration and environment hold it; nil for none.
    @_disfavoredOverload
    public init(
        topic: String?, priority: PushPriority? = nil, expiration: Expiration? = nil, collapseID: CollapseID? = nil,
        pushType: PushType? = nil, apnsID: APNSIDPolicy = .generated, waived: PushRules = [],
        headers: RequestHeaders = RequestHeaders()
    ) {
        self.init(
            topic: topic.map { Topic($0) }, priority: priority, expiration: expiration, collapseID: collapseID,
            pushType: pushType, apnsID: apnsID, waived: waived, headers: headers)
    }
}
