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

        static let none = HeadFields()
    }

    /// Shared header fields: a comparison of the same ones costs one instruction.
    package final class Head: Sendable {
        let fields: HeadFields

        /// Most notifications that are made for one push set no header field.
        static let none = Head(.none)

        init(_ fields: HeadFields) { self.fields = fields }
    }

    private struct Fields: Hashable, Sendable {
        var payload: Payload
        var head: Head
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
        let isPlain =
            pushType == nil && topic == nil && priority == nil && expiration == nil && collapseID == nil
            && authorization == nil
        let head =
            isPlain
            ? Head.none
            : Head(
                HeadFields(
                    pushType: pushType, topic: topic, priority: priority, expiration: expiration,
                    collapseID: collapseID, authorization: authorization))
        storage = Storage(Fields(payload: payload, head: head, apnsID: apnsID, timeout: timeout))
    }

    /// Only a payload.
    init(_ payload: Payload) {
        storage = Storage(Fields(payload: payload, head: .none))
    }

    /// The JSON.
    public var payload: Payload {
        get { storage.fields.payload }
        set { fields.payload = newValue }
    }

    /// The payload's size, without a copy of the payload: each copy counts a reference.
    package var payloadBytes: Int { storage.fields.payload.count }

    /// The push type. If nil, the connection's default; without one it is inferred: `background` if `aps` contains only
    /// `content-available`, otherwise `alert`.
    public var pushType: PushType? {
        get { headFields.pushType }
        set { headFields.pushType = newValue }
    }

    /// The topic exactly as it is sent, including the suffix of its push type. If nil, the connection's default plus
    /// the suffix. Ignored in a broadcast, which has no topic.
    public var topic: Topic? {
        get { headFields.topic }
        set { headFields.topic = newValue }
    }

    /// The priority. If nil, the connection's default, or the nearest one that the push type permits; without a
    /// default, that of the type (``PushType/defaultPriority``); otherwise no header, which APNs treats as 10.
    public var priority: PushPriority? {
        get { headFields.priority }
        set { headFields.priority = newValue }
    }

    /// Until when APNs stores it. If nil, that of its type (``PushType/defaultExpiration``), otherwise the connection's
    /// default, otherwise no header.
    public var expiration: Expiration? {
        get { headFields.expiration }
        set { headFields.expiration = newValue }
    }

    /// Which earlier push it replaces. If nil, the connection's default, otherwise no header.
    public var collapseID: CollapseID? {
        get { headFields.collapseID }
        set { headFields.collapseID = newValue }
    }

    /// Who makes its `apns-id`. If nil, the connection's default, otherwise `.generated`.
    public var apnsID: APNSIDPolicy? {
        get { storage.fields.apnsID }
        set { fields.apnsID = newValue }
    }

    /// Your own provider token for this push, used instead of the connection's. The runtime never renews it.
    public var authorization: BearerToken? {
        get { headFields.authorization }
        set { headFields.authorization = newValue }
    }

    /// The rules that this push waives, in addition to those that its connection waives. Default: none.
    public var waived: PushRules {
        get { headFields.waived }
        set { headFields.waived = newValue }
    }

    /// Your own header fields, sent in addition to those of the other properties and repeated on every attempt. A field
    /// replaces the connection's default fields of the same name. Default: none.
    public var headers: RequestHeaders {
        get { headFields.headers }
        set { headFields.headers = newValue }
    }

    /// How long to wait for the answer, counted from the call. If nil, the connection's timeout, 10 s by default.
    public var timeout: Duration? {
        get { storage.fields.timeout }
        set { fields.timeout = newValue }
    }

    /// The properties that become header fields.
    package var head: Head { storage.fields.head }

    private var headFields: HeadFields {
        get { storage.fields.head.fields }
        set { fields.head = Head(newValue) }
    }
}

extension PushNotification.Head: Hashable {
    package static func == (left: PushNotification.Head, right: PushNotification.Head) -> Bool {
        left === right || left.fields == right.fields
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(fields) }
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
