/// The header fields that pushes of one notification have in common, the connection's defaults merged in.
///
/// It is made and checked once for any number of pushes, and its copies cost a retain: whoever writes fields sees by the
/// identity that they are the same as before.
package final class HeadTemplate: Sendable {
    package let topic: Topic?
    package let pushType: PushType
    package let priority: PushPriority?
    package let expiration: Expiration
    package let collapseID: CollapseID?
    /// A provider token of the caller, which takes the place of the connection's.
    package let authorization: BearerToken?
    package let hasAuthorization: Bool
    /// The caller's own fields: those of the connection, which are the same for every push, then the notification's.
    @usableFromInline let ownFields: RequestHeaders
    /// How many of them come from the connection.
    private let defaultFields: Int
    /// Where the request goes, if that is no device.
    package let route: RequestRoute?

    /// Whether these two are the connection's own, the same for every push, and so worth an entry in the header table.
    @usableFromInline let expirationIsDefault: Bool
    @usableFromInline let collapseIDIsDefault: Bool

    /// The limit of the push type; also a topic that ends in `.voip` has the larger one.
    let maxPayloadBytes: Int
    /// What APNs or HTTP/2 would refuse of these fields, except that there is no topic.
    let problem: InvalidPush?
    /// The rules that these pushes are not held to.
    let waived: PushRules

    // What it was made of.
    private let head: PushNotification.HeadFields
    private let facts: PayloadFacts
    private let defaults: RequestDefaults

    package init(_ notification: PushNotification, _ defaults: RequestDefaults) {
        let own = notification.head
        let type = Self.pushType(of: notification, defaults)
        let topic = own.topic ?? defaults.topic?.suffixed(for: type)
        let expiration = Self.expiration(of: notification, type, defaults)
        let waived = own.waived.union(defaults.waived)
        self.topic = topic
        self.expiration = expiration
        self.waived = waived
        pushType = type
        priority = own.priority ?? Self.defaultPriority(for: type, defaults)
        collapseID = own.collapseID ?? defaults.collapseID
        authorization = own.authorization
        hasAuthorization = own.authorization != nil
        expirationIsDefault = own.expiration == nil
        collapseIDIsDefault = own.collapseID == nil
        let isVoIP = topic?.rawValue.hasSuffix(PushType.voip.topicSuffix) == true
        maxPayloadBytes = isVoIP ? PushType.voip.maxPayloadBytes : type.maxPayloadBytes
        let facts = notification.payload.facts
        let rules = TypeRules(
            type: type, ownTopic: own.topic, priority: own.priority, expiration: expiration, facts: facts,
            waived: waived)
        ownFields = own.headers.over(defaults.headers)
        defaultFields = ownFields.fields.count - own.headers.fields.count
        problem = Self.problem(topic, type, expiration) ?? ownFields.problem ?? rules.problem
        head = own
        self.facts = facts
        self.defaults = defaults
        route = nil
    }

    /// The fields of a request that goes to no device. The connection's defaults are for devices: a broadcast goes with the
    /// priority 10 and the expiration 0, which APNs demands, unless the notification says otherwise.
    package init(_ notification: PushNotification, for route: RequestRoute) {
        let own = notification.head
        topic = nil
        pushType = own.pushType ?? .liveActivity
        priority = own.priority ?? .immediate
        expiration = own.expiration?.headerValue.map { Expiration(unixSeconds: $0) } ?? .immediately
        collapseID = own.collapseID
        authorization = own.authorization
        hasAuthorization = own.authorization != nil
        expirationIsDefault = false
        collapseIDIsDefault = false
        maxPayloadBytes = RequestRoute.maxBroadcastBytes
        waived = own.waived
        facts = route.action == .broadcast ? notification.payload.facts : []
        ownFields = own.headers
        defaultFields = 0
        problem =
            Self.problem(nil, pushType, expiration) ?? ownFields.problem
            ?? Self.broadcastProblem(pushType, facts, waived)
        head = own
        defaults = RequestDefaults()
        self.route = route
    }

    /// Whether APNs takes it with a provider token only.
    package var needsProviderToken: Bool { pushType == .location && !waived.contains(.credential) }

    /// Whether a template made of these would be the same.
    package func fits(_ notification: PushNotification, _ defaults: RequestDefaults) -> Bool {
        notification.hasHead(head) && notification.payload.facts == facts && defaults == self.defaults
    }

    /// The type that it goes out with.
    private static func pushType(of notification: PushNotification, _ defaults: RequestDefaults) -> PushType {
        notification.head.pushType ?? defaults.pushType
            ?? (notification.payload.facts.isBackgroundOnly ? .background : .alert)
    }

    /// The expiration that it goes out with.
    package static func expiration(of notification: PushNotification, _ defaults: RequestDefaults) -> Expiration {
        expiration(of: notification, pushType(of: notification, defaults), defaults)
    }

    private static func expiration(
        of notification: PushNotification, _ type: PushType, _ defaults: RequestDefaults
    ) -> Expiration {
        notification.head.expiration ?? type.defaultExpiration ?? defaults.expiration ?? .byServer
    }

    /// A background push without a priority would be read as 10, which APNs forbids for it.
    private static func defaultPriority(for type: PushType, _ defaults: RequestDefaults) -> PushPriority? {
        defaults.priority.map { type.permitted(nearest: $0) } ?? type.defaultPriority
    }

    private static func problem(_ topic: Topic?, _ type: PushType, _ expiration: Expiration) -> InvalidPush? {
        if let topic {
            if topic.rawValue.isEmpty { return InvalidPush(.topicMissing) }
            let length = topic.rawValue.utf8.count
            guard length <= Topic.maxBytes else {
                return InvalidPush(.topicTooLong, bytes: length, limit: Topic.maxBytes)
            }
            guard HeaderRules.isVisibleASCII(topic.rawValue) else { return InvalidPush(.invalidTopic) }
        }
        let length = type.rawValue.utf8.count
        guard length <= PushType.maxBytes else {
            return InvalidPush(.pushTypeTooLong, bytes: length, limit: PushType.maxBytes)
        }
        guard HeaderRules.isVisibleASCII(type.rawValue) else { return InvalidPush(.invalidPushType) }
        if let expires = expiration.headerValue, expires < 0 { return InvalidPush(.invalidExpiration) }
        return nil
    }

    /// Hands its fields to the sink, first those that repeat from push to push, then those that differ.
    @inlinable
    func visit(_ sink: inout some FieldSink) {
        if let topic { Self.visit(&sink, "apns-topic", topic.rawValue, .incremental) }
        visitHeaders(&sink)
    }

    /// Those of them that broadcasts have as well.
    @inlinable
    func visitHeaders(_ sink: inout some FieldSink) {
        Self.visit(&sink, "apns-push-type", pushType.rawValue, .incremental)
        if let priority { Self.visit(&sink, "apns-priority", Int64(priority.rawValue), .incremental) }
        if let expires = expiration.headerValue {
            let repeats = expirationIsDefault || expires == 0
            Self.visit(&sink, "apns-expiration", expires, repeats ? .incremental : .firstOnly)
        }
        if let collapseID {
            let indexing = collapseIDIsDefault ? TableUse.incremental : .firstOnly
            Self.visit(&sink, "apns-collapse-id", collapseID.text, indexing)
        }
        if !ownFields.isEmpty { visitOwnFields(&sink) }
    }

    /// What a notification brings may differ from push to push, or be a secret: it stays out of the header table.
    @usableFromInline
    func visitOwnFields(_ sink: inout some FieldSink) {
        for (index, field) in ownFields.fields.enumerated() {
            sink.field(field, index < defaultFields ? .incremental : .never)
        }
    }

    @inlinable
    static func visit(_ sink: inout some FieldSink, _ name: StaticString, _ text: String, _ indexing: TableUse) {
        text.withContiguousUTF8 { sink.field(name, UnsafeRawBufferPointer($0), indexing) }
    }

    @inlinable
    static func visit(_ sink: inout some FieldSink, _ name: StaticString, _ number: Int64, _ indexing: TableUse) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Decimal.maxLength) { buffer in
            sink.field(name, UnsafeRawBufferPointer(Decimal.write(number, into: buffer)), indexing)
        }
    }
}
