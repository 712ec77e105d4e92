/// A payload and the headers that go with it, without a device token.
///
/// A header that is nil is taken from the connection's `RequestDefaults`. Copies share their storage, so the same
/// notification to a million devices costs one payload.
///
/// ```swift
/// try await runtime.push(name: "orders", .alert(title: "Flight A998", body: "Boarding"), to: token)
/// ```
public struct PushNotification: Sendable {
    /// The properties that become header fields, except the `apns-id`.
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

    private struct Fields: Hashable, Sendable {
        var payload: Payload
        var head: HeadFields
        var apnsID: APNSIDPolicy?
        var timeout: Duration?
    }

    /// A copy costs one retain instead of one per field, because a push is copied several times before it is answered.
    private final class Storage: Sendable {
        let fields: Fields
        init(_ fields: Fields) { self.fields = fields }
    }

    private var storage: Storage

    private var fields: Fields {
        get { storage.fields }
        set { storage = Storage(newValue) }
    }

    /// Creates a notification from a payload and its headers. The connection's defaults apply where a header is nil.
    ///
    /// - Parameters:
    ///   - payload: The JSON.
    ///   - pushType: The type; nil infers it from the payload.
    ///   - topic: The whole topic, including the suffix.
    ///   - priority: How urgent it is.
    ///   - expiration: Until when APNs stores it.
    ///   - collapseID: Which earlier push it replaces.
    ///   - apnsID: Who makes its id.
    ///   - authorization: Your own provider token, used instead of the connection's.
    ///   - timeout: How long to wait for the answer, instead of the connection's timeout.
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

    /// The push type. If nil, the connection's default; without one it is inferred: `background` if `aps` contains only
    /// `content-available`, otherwise `alert`.
    public var pushType: PushType? {
        get { storage.fields.head.pushType }
        set { fields.head.pushType = newValue }
    }

    /// The topic exactly as it is sent, including the suffix of its push type. If nil, the connection's default plus
    /// the suffix. Ignored in a broadcast, which has no topic.
    public var topic: Topic? {
        get { storage.fields.head.topic }
        set { fields.head.topic = newValue }
    }

    /// The priority. If nil, the connection's default, or the nearest one that the push type permits; without a
    /// default, that of the type (``PushType/defaultPriority``); otherwise no header, which APNs treats as 10.
    public var priority: PushPriority? {
        get { storage.fields.head.priority }
        set { fields.head.priority = newValue }
    }

    /// Until when APNs stores it. If nil, that of its type (``PushType/defaultExpiration``), otherwise the connection's
    /// default, otherwise no header.
    public var expiration: Expiration? {
        get { storage.fields.head.expiration }
        set { fields.head.expiration = newValue }
    }

    /// Which earlier push it replaces. If nil, the connection's default, otherwise no header.
    public var collapseID: CollapseID? {
        get { storage.fields.head.collapseID }
        set { fields.head.collapseID = newValue }
    }

    /// Who makes its `apns-id`. If nil, the connection's default, otherwise `.generated`.
    public var apnsID: APNSIDPolicy? {
        get { storage.fields.apnsID }
        set { fields.apnsID = newValue }
    }

    /// Your own provider token for this push, used instead of the connection's. The runtime never renews it.
    public var authorization: BearerToken? {
        get { storage.fields.head.authorization }
        set { fields.head.authorization = newValue }
    }

    /// The rules that this push waives, in addition to those that its connection waives. Default: none.
    public var waived: PushRules {
        get { storage.fields.head.waived }
        set { fields.head.waived = newValue }
    }

    /// Your own header fields, sent in addition to those of the other properties and repeated on every attempt. A field
    /// replaces the connection's default fields of the same name. Default: none.
    public var headers: RequestHeaders {
        get { storage.fields.head.headers }
        set { fields.head.headers = newValue }
    }

    /// How long to wait for the answer, counted from the call. If nil, the connection's timeout, 10 s by default.
    public var timeout: Duration? {
        get { storage.fields.timeout }
        set { fields.timeout = newValue }
    }

    /// The properties that become header fields.
    package var head: HeadFields { storage.fields.head }

    /// Whether `head` equals the properties that become header fields.
    func hasHead(_ head: HeadFields) -> Bool { storage.fields.head == head }
}

extension PushNotification: Hashable {
    /// Whether payload, headers, apns-id policy and timeout are the same.
    public static func == (left: PushNotification, right: PushNotification) -> Bool {
        left.storage === right.storage || left.storage.fields == right.storage.fields
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.fields) }
}

extension PushNotification: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The headers that are set and the size of the payload. Contains no content and no token.
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

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
