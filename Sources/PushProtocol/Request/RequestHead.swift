/// The header fields of one push, after the defaults of its connection were merged in.
///
/// Making one and visiting it allocates nothing for the usual push: values are written to the stack and lent to a sink.
package struct RequestHead: Sendable {
    package let deviceToken: DeviceToken
    package let topic: Topic?
    package let pushType: PushType
    package let priority: PushPriority?
    package let expiration: Expiration
    package let collapseID: CollapseID?
    package let apnsID: APNSID?
    /// A provider token of the caller, which takes the place of the connection's.
    package let authorization: BearerToken?

    /// Whether these two are the connection's own, the same for every push, and so worth an entry in the header table.
    @usableFromInline let expirationIsDefault: Bool
    @usableFromInline let collapseIDIsDefault: Bool

    /// - Parameter apnsID: what `apnsID(for:defaults:generate:)` gave at the first attempt; a resend has to repeat it.
    package init(
        _ notification: PushNotification, to deviceToken: DeviceToken, defaults: RequestDefaults, apnsID: APNSID?
    ) {
        let pushType = Self.pushType(of: notification, defaults: defaults)
        self.deviceToken = deviceToken
        self.pushType = pushType
        self.apnsID = apnsID
        topic = notification.topic ?? defaults.topic?.suffixed(for: pushType)
        priority = notification.priority ?? Self.defaultPriority(for: pushType, defaults)
        expiration = notification.expiration ?? defaults.expiration ?? .byServer
        collapseID = notification.collapseID ?? defaults.collapseID
        authorization = notification.authorization
        expirationIsDefault = notification.expiration == nil
        collapseIDIsDefault = notification.collapseID == nil
    }

    /// The id a push goes out with, nil for none; `generate` is called only if one has to be made.
    package static func apnsID(
        for notification: PushNotification, defaults: RequestDefaults, generate: () -> APNSID
    ) -> APNSID? {
        (notification.apnsID ?? defaults.apnsID).resolve(generate: generate)
    }

    /// The type a push goes out with.
    package static func pushType(of notification: PushNotification, defaults: RequestDefaults) -> PushType {
        notification.pushType ?? defaults.pushType ?? (notification.payload.isBackgroundOnly ? .background : .alert)
    }

    /// A background push without a priority would be read as 10, which APNs forbids for it.
    private static func defaultPriority(for type: PushType, _ defaults: RequestDefaults) -> PushPriority? {
        guard type == .background else { return defaults.priority }
        guard let priority = defaults.priority, priority != .immediate else { return .conserving }
        return priority
    }

    /// Hands every field to the sink: `:path` first, then those that repeat from push to push, then those that differ.
    ///
    /// The caller puts `:method`, `:scheme` and `:authority` before them, as pseudo fields must precede all others
    /// (RFC 9113 section 8.3), and `authorization` behind.
    @inlinable
    package func visit(_ sink: inout some FieldSink) {
        visitPath(&sink)
        if let topic { Self.visit(&sink, "apns-topic", topic.rawValue, .incremental) }
        Self.visit(&sink, "apns-push-type", pushType.rawValue, .incremental)
        if let priority { Self.visit(&sink, "apns-priority", Int64(priority.rawValue), .incremental) }
        if let expires = expiration.headerValue {
            let repeats = expirationIsDefault || expires == 0
            Self.visit(&sink, "apns-expiration", expires, repeats ? .incremental : .firstOnly)
        }
        if let collapseID {
            let indexing = collapseIDIsDefault ? FieldIndexing.incremental : .firstOnly
            Self.visit(&sink, "apns-collapse-id", collapseID.text, indexing)
        }
        if let apnsID {
            apnsID.withUTF8 { sink.field("apns-id", $0, .firstOnly) }
        }
    }

    @inlinable
    func visitPath(_ sink: inout some FieldSink) {
        let prefix: StaticString = "/3/device/"
        let prefixLength = prefix.utf8CodeUnitCount
        deviceToken.hex.withContiguousUTF8 { hex in
            withUnsafeTemporaryAllocation(byteCount: prefixLength + hex.count, alignment: 1) { path in
                path.copyMemory(from: UnsafeRawBufferPointer(start: prefix.utf8Start, count: prefixLength))
                UnsafeMutableRawBufferPointer(rebasing: path[prefixLength...])
                    .copyMemory(from: UnsafeRawBufferPointer(hex))
                sink.field(":path", UnsafeRawBufferPointer(path), .never)
            }
        }
    }

    @inlinable
    static func visit(_ sink: inout some FieldSink, _ name: StaticString, _ text: String, _ indexing: FieldIndexing) {
        text.withContiguousUTF8 { sink.field(name, UnsafeRawBufferPointer($0), indexing) }
    }

    @inlinable
    static func visit(_ sink: inout some FieldSink, _ name: StaticString, _ number: Int64, _ indexing: FieldIndexing) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Decimal.maxLength) { buffer in
            sink.field(name, UnsafeRawBufferPointer(Decimal.write(number, into: buffer)), indexing)
        }
    }
}
