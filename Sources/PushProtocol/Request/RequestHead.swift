/// The header fields of one push, after the defaults of its connection were merged in.
///
/// Visiting one allocates nothing for the usual push: values are written to the stack and lent to a sink.
package struct RequestHead: Sendable {
    /// What it has in common with other pushes of its notification.
    package let template: HeadTemplate
    /// The device it goes to; nil if the template's route says where it goes.
    package let deviceToken: DeviceToken?
    /// Sent as `apns-id` to a device, as `apns-request-id` elsewhere.
    package let apnsID: APNSID?

    /// - Parameter apnsID: what `apnsID(for:defaults:generate:)` gave at the first attempt; a resend has to repeat it.
    package init(_ template: HeadTemplate, to deviceToken: DeviceToken, apnsID: APNSID?) {
        self.template = template
        self.deviceToken = deviceToken
        self.apnsID = apnsID
    }

    /// Of a request that goes to no device.
    package init(_ template: HeadTemplate, apnsID: APNSID?) {
        self.template = template
        deviceToken = nil
        self.apnsID = apnsID
    }

    /// With a template of its own.
    package init(
        _ notification: PushNotification, to deviceToken: DeviceToken, defaults: RequestDefaults, apnsID: APNSID?
    ) {
        self.init(HeadTemplate(notification, defaults), to: deviceToken, apnsID: apnsID)
    }

    /// A provider token of the caller, which takes the place of the connection's.
    package var authorization: BearerToken? { template.authorization }

    /// The id a push goes out with, nil for none; `generate` is called only if one has to be made.
    package static func apnsID(
        for notification: PushNotification, defaults: RequestDefaults, generate: () -> APNSID
    ) -> APNSID? {
        (notification.apnsID ?? defaults.apnsID).resolve(generate: generate)
    }

    /// Hands every field to the sink: `:path` first, then those that repeat from push to push, then those that differ,
    /// `apns-id` last.
    ///
    /// The caller puts `:method`, `:scheme` and `:authority` before them, as pseudo fields must precede all others
    /// (RFC 9113 section 8.3), and `authorization` behind.
    @inlinable
    package func visit(_ sink: inout some FieldSink) {
        if let route = template.route { return visit(route, &sink) }
        withUnsafeTemporaryAllocation(byteCount: pathLength, alignment: 1) { path in
            writePath(into: path)
            sink.field(":path", UnsafeRawBufferPointer(path), .never)
        }
        template.visit(&sink)
        if let apnsID {
            apnsID.withUTF8 { sink.field("apns-id", $0, .firstOnly) }
        }
    }

    @usableFromInline
    func visit(_ route: RequestRoute, _ sink: inout some FieldSink) {
        template.visit(route, &sink)
        if let apnsID {
            apnsID.withUTF8 { sink.field("apns-request-id", $0, .never) }
        }
    }

    /// The name of the field that ``apnsID`` is sent in.
    package var idName: String { template.route == nil ? "apns-id" : "apns-request-id" }

    /// The value of `:method`.
    package var method: String { template.route?.method ?? "POST" }

    /// The length of the value of `:path` of a push to a device, in bytes.
    @inlinable package var pathLength: Int { Self.pathPrefix.utf8CodeUnitCount + (deviceToken?.hex.utf8.count ?? 0) }

    /// Writes the value of `:path` of a push to a device, for which there is room.
    @inlinable
    package func writePath(into buffer: UnsafeMutableRawBufferPointer) {
        let prefix = UnsafeRawBufferPointer(
            start: Self.pathPrefix.utf8Start, count: Self.pathPrefix.utf8CodeUnitCount)
        buffer.copyMemory(from: prefix)
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[prefix.count...])
        deviceToken?.hex.withContiguousUTF8 { rest.copyMemory(from: UnsafeRawBufferPointer($0)) }
    }

    @inlinable static var pathPrefix: StaticString { "/3/device/" }
}
