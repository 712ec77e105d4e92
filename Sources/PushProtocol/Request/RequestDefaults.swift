/// The headers of a connection's pushes where a push does not set its own.
public struct RequestDefaults: Hashable, Sendable {
    /// The topic. As a default it is the bundle id, and the suffix of the push type (`.voip`, …) is added where it is
    /// missing. Needed with a provider token; with a certificate nil lets APNs take the certificate's.
    public var topic: Topic?
    /// The priority. Nil: no header, which APNs reads as 10. Where a push type does not permit it, the nearest that the type permits
    /// is sent: 5 for background pushes, 5 in place of 1 for Live Activities, 10 for calls and push to talk.
    public var priority: PushPriority?
    /// Until when APNs keeps a push. Nil: no header, up to 30 days. Calls and push to talk go with 0 unless they set their own.
    public var expiration: Expiration?
    /// Which earlier push is replaced. Nil: none.
    public var collapseID: CollapseID?
    /// The push type. Nil: inferred from the payload.
    public var pushType: PushType?
    /// Who makes the `apns-id`.
    public var apnsID: APNSIDPolicy
    /// The rules that the connection's pushes are not held to, beside those that a push waives. Default: none.
    public var waived: PushRules
    /// Header fields of your own for every push to a device; a push overrides those whose names it sets. Default: none.
    public var headers: RequestHeaders

    /// Takes what is the same for all pushes of a connection. Everything may be left out.
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
}
