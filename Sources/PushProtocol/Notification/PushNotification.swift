/// What is pushed: a payload and the headers that go with it, without an address.
///
/// A header that is nil here is taken from the connection's `RequestDefaults`. Copies share one storage, so the same
/// notification to a million device tokens costs one payload.
///
/// ```swift
/// try await runtime.push(name: "orders", .alert(title: "Flight A998", body: "Boarding"), to: token)
/// ```
public struct PushNotification: Sendable {
    private struct Fields: Sendable {
        var payload: Payload
        var pushType: PushType?
        var topic: Topic?
        var priority: PushPriority?
        var expiration: Expiration?
        var collapseID: CollapseID?
        var apnsID: APNSIDPolicy?
        var authorization: BearerToken?
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
                payload: payload, pushType: pushType, topic: topic, priority: priority, expiration: expiration,
                collapseID: collapseID, apnsID: apnsID, authorization: authorization, timeout: timeout))
    }

    /// The JSON.
    public var payload: Payload {
        get { storage.fields.payload }
        set { fields.payload = newValue }
    }

    /// The type. Nil: the connection's default, else inferred: `background` if `content-available` is all there is in
    /// `aps`, else `alert`.
    public var pushType: PushType? {
        get { storage.fields.pushType }
        set { fields.pushType = newValue }
    }

    /// The topic exactly as it is sent, with the suffix of its push type. Nil: the connection's default, to which the
    /// suffix is added.
    public var topic: Topic? {
        get { storage.fields.topic }
        set { fields.topic = newValue }
    }

    /// The priority. Nil: the connection's default, else no header, which APNs reads as 10; background pushes go with 5.
    public var priority: PushPriority? {
        get { storage.fields.priority }
        set { fields.priority = newValue }
    }

    /// Until when APNs keeps it. Nil: the connection's default, else no header.
    public var expiration: Expiration? {
        get { storage.fields.expiration }
        set { fields.expiration = newValue }
    }

    /// Which earlier push it replaces. Nil: the connection's default, else no header.
    public var collapseID: CollapseID? {
        get { storage.fields.collapseID }
        set { fields.collapseID = newValue }
    }

    /// Who makes its `apns-id`. Nil: the connection's default, else `.generated`.
    public var apnsID: APNSIDPolicy? {
        get { storage.fields.apnsID }
        set { fields.apnsID = newValue }
    }

    /// A provider token of the caller for this push, instead of the connection's. The runtime never renews it.
    public var authorization: BearerToken? {
        get { storage.fields.authorization }
        set { fields.authorization = newValue }
    }

    /// How long the answer is waited for, counted from the call. Nil: the connection's timeout, 10 s by default.
    public var timeout: Duration? {
        get { storage.fields.timeout }
        set { fields.timeout = newValue }
    }
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
        if let timeout { parts.append("timeout: \(timeout)") }
        return "PushNotification(\(parts.joined(separator: ", ")))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
