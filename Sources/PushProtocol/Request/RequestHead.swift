/// The header fields of one push, merged with the defaults of its connection.
///
/// Visiting them allocates nothing for a usual push: values are written to the stack and lent to a sink.
package struct RequestHead: Sendable {
    /// The fields that it shares with other pushes of its notification.
    package let template: HeadTemplate
    /// The device it goes to; nil if the template's route is the destination.
    package let deviceToken: DeviceToken?
    /// Sent as `apns-id` to a device, otherwise as `apns-request-id`.
    package let apnsID: APNSID?

    /// - Parameter apnsID: The result of `apnsID(for:defaults:generate:)` at the first attempt. A resend must repeat
    ///   it.
    package init(_ template: HeadTemplate, to deviceToken: DeviceToken, apnsID: APNSID?) {
        self.template = template
        self.deviceToken = deviceToken
        self.apnsID = apnsID
    }

    /// Creates the head of a request that does not go to a device.
    package init(_ template: HeadTemplate, apnsID: APNSID?) {
        self.template = template
        deviceToken = nil
        self.apnsID = apnsID
    }

    /// Creates a head with a new template.
    package init(
        _ notification: PushNotification, to deviceToken: DeviceToken, defaults: RequestDefaults, apnsID: APNSID?
    ) {
        self.init(HeadTemplate(notification, defaults: defaults), to: deviceToken, apnsID: apnsID)
    }

    /// The caller's own provider token, which replaces the connection's.
    package var authorization: BearerToken? { template.authorization }

    /// The id to send with a push; nil for none. Calls `generate` only if an id must be made.
    package static func apnsID(
        for notification: PushNotification, defaults: RequestDefaults, generate: () -> APNSID
    ) -> APNSID? {
        (notification.apnsID ?? defaults.apnsID).resolve(generate: generate)
    }

    /// Passes every field to the sink: `:path` first, then those that repeat from push to push, then those that differ,
    /// and `apns-id` last.
    ///
    /// The caller adds `:method`, `:scheme` and `:authority` before them, because pseudo-header fields must precede all
    /// others (RFC 9113, section 8.3), and `authorization` after them.
    @inlinable
    package func visit(_ sink: inout some FieldSink) {
        if let route = template.route { return visit(route, into: &sink) }
        withUnsafeTemporaryAllocation(byteCount: pathLength, alignment: 1) { path in
            writePath(into: path)
            sink.field(":path", UnsafeRawBufferPointer(path), indexing: .never)
        }
        template.visit(&sink)
        if let apnsID {
            apnsID.withUTF8 { sink.field("apns-id", $0, indexing: .firstOnly) }
        }
    }

    @usableFromInline
    func visit(_ route: RequestRoute, into sink: inout some FieldSink) {
        template.visit(route, into: &sink)
        if let apnsID {
            apnsID.withUTF8 { sink.field("apns-request-id", $0, indexing: .never) }
        }
    }

    /// The name of the field that contains ``apnsID``.
    package var idName: String { template.route == nil ? "apns-id" : "apns-request-id" }

    /// The value of `:method`.
    package var method: String { template.route?.method ?? "POST" }

    /// The length of `:path` for a push to a device, in bytes.
    @inlinable package var pathLength: Int { Self.pathPrefix.utf8CodeUnitCount + (deviceToken?.hex.utf8.count ?? 0) }

    /// Writes `:path` for a push to a device into a buffer that is large enough.
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

/// How to compress a header field (HPACK, RFC 7541, section 6.2), following Apple's advice.
package enum TableUse: Hashable, Sendable {
    /// Added to the header table, because the same value will be sent again.
    case incremental
    /// Added to the table with the first push of a connection, so that its name is there, and not added again: its
    /// values differ from push to push and would evict everything else.
    case firstOnly
    /// Never added to the table.
    case never
}

/// Receives the header fields of one request, in wire order.
package protocol FieldSink {
    /// - Parameter value: Valid only during the call.
    mutating func field(_ name: StaticString, _ value: UnsafeRawBufferPointer, indexing: TableUse)

    /// Receives one of the caller's own fields.
    mutating func field(_ field: RequestHeaders.Field, indexing: TableUse)
}
