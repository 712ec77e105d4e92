/// The header fields that all pushes of one notification share, merged with the connection's defaults.
///
/// Made and checked once for any number of pushes. A copy costs one retain, and if the reference is the same, the
/// fields are the same.
package final class HeadTemplate: Sendable {
    package let topic: Topic?
    package let pushType: PushType
    package let priority: PushPriority?
    package let expiration: Expiration
    package let collapseID: CollapseID?
    /// The caller's own provider token, which replaces the connection's.
    package let authorization: BearerToken?
    package let hasAuthorization: Bool
    /// The caller's own fields: those of the connection's defaults, which are the same for every push, then those of
    /// the notification.
    @usableFromInline let ownFields: RequestHeaders
    /// How many of them come from the connection's defaults.
    private let defaultFields: Int
    /// The destination of a request that does not go to a device.
    package let route: RequestRoute?

    /// Whether these two come from the connection's defaults: then they are the same for every push, and worth an entry
    /// in the header table.
    @usableFromInline let expirationIsDefault: Bool
    @usableFromInline let collapseIDIsDefault: Bool

    /// The limit of the push type. A topic that ends in `.voip` also has the larger one.
    let maxPayloadBytes: Int
    /// What APNs or HTTP/2 would reject in these fields, except a missing topic.
    let problem: InvalidPush?
    /// The rules that these pushes waive.
    let waived: PushRules

    // The inputs of the template.
    private let head: PushNotification.Head
    private let facts: PayloadFacts
    private let defaults: RequestDefaults

    package init(_ notification: PushNotification, defaults: RequestDefaults) {
        let own = notification.head.fields
        let type = Self.pushType(of: notification, defaults: defaults)
        let topic = own.topic ?? defaults.topic?.suffixed(for: type)
        let expiration = Self.expiration(of: notification, type: type, defaults: defaults)
        let waived = own.waived.union(defaults.waived)
        self.topic = topic
        self.expiration = expiration
        self.waived = waived
        pushType = type
        priority = own.priority ?? Self.defaultPriority(for: type, defaults: defaults)
        collapseID = own.collapseID ?? defaults.collapseID
        authorization = own.authorization
        hasAuthorization = own.authorization != nil
        expirationIsDefault = own.expiration == nil
        collapseIDIsDefault = own.collapseID == nil
        let isVoIP = topic?.rawValue.hasSuffix(PushType.voip.topicSuffix) == true
        maxPayloadBytes = isVoIP ? PushType.voip.maxPayloadBytes : type.maxPayloadBytes
        let facts = notification.payload.facts
        let rules = TypeRules(
            type: type, ownTopic: own.topic, topic: topic, priority: own.priority, expiration: expiration,
            facts: facts, waived: waived)
        ownFields = own.headers.over(defaults.headers)
        defaultFields = ownFields.fields.count - own.headers.fields.count
        problem =
            Self.problem(topic: topic, type: type, expiration: expiration) ?? ownFields.problem
            ?? rules.problem?.naming(datesOf: notification.payload)
        head = notification.head
        self.facts = facts
        self.defaults = defaults
        route = nil
    }

    /// The fields of a request that does not go to a device. The connection's defaults are for devices and do not
    /// apply. A broadcast has the priority 10 and the expiration 0, which APNs requires, unless the notification sets
    /// others.
    package init(_ notification: PushNotification, for route: RequestRoute) {
        let own = notification.head.fields
        topic = nil
        pushType = own.pushType ?? .liveActivity
        priority = own.priority ?? .immediate
        expiration = own.expiration.flatMap { $0 == .byServer ? nil : $0 } ?? .immediately
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
            Self.problem(topic: nil, type: pushType, expiration: expiration) ?? ownFields.problem
            ?? Self.broadcastProblem(pushType, expiration: expiration, facts: facts, waived: waived)?
            .naming(datesOf: notification.payload)
        head = notification.head
        defaults = RequestDefaults()
        self.route = route
    }

    /// Whether APNs accepts it only with a provider token.
    package var needsProviderToken: Bool { pushType == .location && !waived.contains(.credential) }

    /// Whether a template made from this notification and the same defaults would be the same.
    package func fits(_ notification: PushNotification) -> Bool {
        notification.head == head && notification.payload.facts == facts
    }

    /// Whether it was made from these defaults.
    package func has(_ defaults: RequestDefaults) -> Bool { defaults == self.defaults }

    /// The push type that is sent.
    private static func pushType(of notification: PushNotification, defaults: RequestDefaults) -> PushType {
        notification.head.fields.pushType ?? defaults.pushType
            ?? (notification.payload.facts.isBackgroundOnly ? .background : .alert)
    }

    /// The expiration that is sent.
    package static func expiration(of notification: PushNotification, defaults: RequestDefaults) -> Expiration {
        expiration(of: notification, type: pushType(of: notification, defaults: defaults), defaults: defaults)
    }

    private static func expiration(
        of notification: PushNotification, type: PushType, defaults: RequestDefaults
    ) -> Expiration {
        notification.head.fields.expiration ?? type.defaultExpiration ?? defaults.expiration ?? .byServer
    }

    /// APNs would treat a background push without a priority as 10, which it forbids.
    private static func defaultPriority(for type: PushType, defaults: RequestDefaults) -> PushPriority? {
        defaults.priority.map { type.permitted(nearest: $0) } ?? type.defaultPriority
    }

    private static func problem(topic: Topic?, type: PushType, expiration: Expiration) -> InvalidPush? {
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

    /// Passes the fields to the sink: first those that repeat from push to push, then those that differ.
    @inlinable
    func visit(_ sink: inout some FieldSink) {
        if let topic { Self.visit(into: &sink, "apns-topic", topic.rawValue, indexing: .incremental) }
        visitHeaders(&sink)
    }

    /// The fields that broadcasts have as well.
    @inlinable
    func visitHeaders(_ sink: inout some FieldSink) {
        Self.visit(into: &sink, "apns-push-type", pushType.rawValue, indexing: .incremental)
        if let priority { Self.visit(into: &sink, "apns-priority", Int64(priority.rawValue), indexing: .incremental) }
        if let expires = expiration.headerValue {
            let repeats = expirationIsDefault || expires == 0
            Self.visit(into: &sink, "apns-expiration", expires, indexing: repeats ? .incremental : .firstOnly)
        }
        if let collapseID {
            let indexing = collapseIDIsDefault ? TableUse.incremental : .firstOnly
            Self.visit(into: &sink, "apns-collapse-id", collapseID.text, indexing: indexing)
        }
        if !ownFields.isEmpty { visitOwnFields(&sink) }
    }

    /// The notification's own fields may differ from push to push, or be secret, so they stay out of the header table.
    @usableFromInline
    func visitOwnFields(_ sink: inout some FieldSink) {
        for (index, field) in ownFields.fields.enumerated() {
            sink.field(field, indexing: index < defaultFields ? .incremental : .never)
        }
    }

    @inlinable
    static func visit(into sink: inout some FieldSink, _ name: StaticString, _ text: String, indexing: TableUse) {
        text.withContiguousUTF8 { sink.field(name, UnsafeRawBufferPointer($0), indexing: indexing) }
    }

    @inlinable
    static func visit(into sink: inout some FieldSink, _ name: StaticString, _ number: Int64, indexing: TableUse) {
        Decimal.withDigits(of: number) { sink.field(name, UnsafeRawBufferPointer($0), indexing: indexing) }
    }
}
