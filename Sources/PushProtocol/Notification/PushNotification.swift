/// What is pushed: a payload and the headers that go with it, without an address.
///
/// A header that is nil here is taken from the connection's `RequestDefaults`. Copies share one storage, so the same
/// notification to a million device tokens costs one payload.
///
/// ```swift
/// try await runtime.push(name: "orders", .alert(title: "Flight A998", body: "Boarding"), to: token)
/// ```
public struct PushNotification: Sendable {
    /// What goes into header fields, the `apns-id` aside.
    package struct HeadFields: Hashable, Sendable {
        var pushType: PushType?
        var topic: Topic?
        var priority: PushPriority?
        var expiration: Expiration?
        var collapseID: CollapseID?
        var authorization: BearerToken?
        var waived: PushRules = []
        var headers = RequestHeaders()
    }

    private struct Fields: Sendable {
        var payload: Payload
        var head: HeadFields
        var apnsID: APNSIDPolicy?
        var timeout: Duration?
    }

    /// Makes a copy one retain instead of one per field: a push is handed on several times before it is answered.
    private final class Storage: Sendable {
        let fields: Fields
        init(_ fields: Fields) { self.fields = fields }
    }

    private var storage: Storage

    private var fields: Fields {
        get { storage.fields }
        set { storage = Storage(newValue) }
    }

    /// Takes a payload and the headers to send with it; all but the payload may be left to the connection's defaults.
    ///
    /// - Parameters:
    ///   - payload: the JSON.
    ///   - pushType: the type; nil infers it from the payload.
    ///   - topic: the whole topic, suffix included.
    ///   - priority: how urgent it is.
    ///   - expiration: until when APNs keeps it.
    ///   - collapseID: which earlier push it replaces.
    ///   - apnsID: who makes its id.
    ///   - authorization: a provider token of the caller, instead of the connection's.
    ///   - timeout: how long its answer is waited for, instead of the connection's.
    public init(
        payload: Payload, pushType: PushType? = nil, topic: Topic? = nil, priority: PushPriority? = nil,
        expiration: Expiration? = nil, collapseID: CollapseID? = nil, apnsID: APNSIDPolicy? = nil,
        authorization: BearerToken? = nil, timeout: Duration? = nil
    ) {
        storage = Storage(
            Fields(
                payload: payload,
                head: HeadFields(
                    pushType: pushType, topic: topic, priority: priority, expiration: expiration,
                    collapseID: collapseID, authorization: authorization),
                apnsID: apnsID, timeout: timeout))
    }

    /// The JSON.
    public var payload: Payload {
        get { storage.fields.payload }
        set { fields.payload = newValue }
    }

    /// The type. Nil: the connection's default, else inferred: `background` if `content-available` is all there is in
    /// `aps`, else `alert`.
    public var pushType: PushType? {
        get { storage.fields.head.pushType }
        set { fields.head.pushType = newValue }
    }

    /// The topic exactly as it is sent, with the suffix of its push type. Nil: the connection's default, to which the
    /// suffix is added. A broadcast has no topic, and this is not looked at.
    public var topic: Topic? {
        get { storage.fields.head.topic }
        set { fields.head.topic = newValue }
    }

    /// The priority. Nil: the connection's default or the nearest that its type permits, else that of its type
    /// (``PushType/defaultPriority``), else no header, which APNs reads as 10.
    public var priority: PushPriority? {
        get { storage.fields.head.priority }
        set { fields.head.priority = newValue }
    }

    /// Until when APNs keeps it. Nil: that of its type (``PushType/defaultExpiration``), else the connection's default, else no header.
    public var expiration: Expiration? {
        get { storage.fields.head.expiration }
        set { fields.head.expiration = newValue }
    }

    /// Which earlier push it replaces. Nil: the connection's default, else no header.
    public var collapseID: CollapseID? {
        get { storage.fields.head.collapseID }
        set { fields.head.collapseID = newValue }
    }

    /// Who makes its `apns-id`. Nil: the connection's default, else `.generated`.
    public var apnsID: APNSIDPolicy? {
        get { storage.fields.apnsID }
        set { fields.apnsID = newValue }
    }

    /// A provider token of the caller for this push, instead of the connection's. The runtime never renews it.
    public var authorization: BearerToken? {
        get { storage.fields.head.authorization }
        set { fields.head.authorization = newValue }
    }

    /// The rules that this push is not held to, beside those its connection waives. Default: none.
    public var waived: PushRules {
        get { storage.fields.head.waived }
        set { fields.head.waived = newValue }
    }

    /// Header fields of your own, sent beside those that the other properties make; the same at every attempt. One takes the place of the
    /// connection's default fields of its name. Default: none.
    public var headers: RequestHeaders {
        get { storage.fields.head.headers }
        set { fields.head.headers = newValue }
    }

    /// How long the answer is waited for, counted from the call. Nil: the connection's timeout, 10 s by default.
    public var timeout: Duration? {
        get { storage.fields.timeout }
        set { fields.timeout = newValue }
    }

    /// What goes into header fields.
    package var head: HeadFields { storage.fields.head }

    /// Whether just these go into header fields.
    func hasHead(_ head: HeadFields) -> Bool { storage.fields.head == head }
}

extension PushNotification: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The headers that are set and the size of the payload, nothing of its content and no token.
    public var description: String {
        var parts = ["\(payload.count) bytes"]
        if let pushType { parts.append("type: \(pushType)") }
        if let topic { parts.append("topic: \(topic)") }
        if let priority { parts.append("priority: \(priority)") }
        if let expiration { parts.append("expiration: \(expiration)") }
        if let collapseID { parts.append("collapse id: \(collapseID)") }
        if case .fixed(let id) = apnsID { parts.append("apns-id: \(id)") }
        if !headers.isEmpty { parts.append("headers: \(headers)") }
        if let timeout { parts.append("timeout: \(timeout)") }
        return "PushNotification(\(parts.joined(separator: ", ")))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
