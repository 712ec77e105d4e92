/// A request as it would be sent, for inspection: its header fields and its body.
///
/// ```swift
/// print(try notification.request(to: token, defaults: config.defaults).text)   // without a runtime
/// print(try orders.preview(notification, to: token).text)     // as this connection would send it
/// ```
/// Nothing is sent, and no provider token is made: `<provider token>` stands for it, and `<made for each push>` for an
/// apns-id that is made for each push. Your own header fields are shown as they are.
public struct PreparedRequest: Hashable, Sendable {
    /// The placeholder for a provider token.
    public static let providerToken = "<provider token>"
    /// The placeholder for an apns-id that is made for each push.
    public static let generatedID = "<made for each push>"

    /// All header fields in wire order, beginning with the pseudo-header fields `:method`, `:scheme`, `:authority` and
    /// `:path`.
    public let headers: RequestHeaders
    /// The body: the payload's JSON.
    public let body: [UInt8]

    /// The value of `:path`, with the complete device token.
    public var path: String { headers[":path"] ?? "" }

    /// The body as text.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// One line per header field, an empty line, and the body.
    public var text: String {
        headers.fields.map { "\($0.name): \($0.value)\n" }.joined() + "\n\(bodyText)\n"
    }

    /// - Parameters:
    ///   - showsToken: Whether the connection sends provider tokens.
    ///   - makesID: Whether an id is made for each push.
    package init(
        _ head: RequestHead, payload: Payload, authority: String, showsToken: Bool, makesID: Bool
    ) {
        var sink = Sink()
        sink.headers.append(name: ":method", value: head.method)
        sink.headers.append(name: ":scheme", value: "https")
        sink.headers.append(name: ":authority", value: authority)
        head.visit(&sink)
        if makesID { sink.headers.append(name: head.idName, value: Self.generatedID) }
        if showsToken || head.template.hasAuthorization {
            sink.headers.append(name: "authorization", value: "bearer \(Self.providerToken)")
        }
        headers = sink.headers
        body = payload.bytes
    }

    private struct Sink: FieldSink {
        var headers = RequestHeaders()

        mutating func field(_ name: StaticString, _ value: UnsafeRawBufferPointer, indexing: TableUse) {
            headers.append(name: "\(name)", value: String(decoding: value, as: UTF8.self))
        }

        mutating func field(_ field: RequestHeaders.Field, indexing: TableUse) {
            headers.append(name: field.name, value: field.value)
        }
    }
}

extension PreparedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the fields and the size of the body, but none of their content; ``text`` contains that.
    public var description: String { "PreparedRequest(\(headers), \(body.count) bytes)" }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PushNotification {
    /// The request of a push of this notification, checked like ``validate(defaults:requiresTopic:)``. For a test, or
    /// to see what the defaults add.
    ///
    /// - Parameters:
    ///   - deviceToken: The device it would go to.
    ///   - defaults: The connection's defaults.
    ///   - host: The value of `:authority`.
    ///   - withProviderToken: Whether the connection sends provider tokens; false for a certificate.
    /// - Throws: `InvalidPush` with the broken rule.
    public func request(
        to deviceToken: DeviceToken, defaults: RequestDefaults = RequestDefaults(),
        host: String = "api.push.apple.com", withProviderToken: Bool = true
    ) throws(InvalidPush) -> PreparedRequest {
        let (id, makesID) = shownID(defaults.apnsID)
        let head = RequestHead(self, to: deviceToken, defaults: defaults, apnsID: id)
        try head.check(payloadBytes: payloadBytes, requiresTopic: withProviderToken)
        return PreparedRequest(head, payload: payload, authority: host, showsToken: withProviderToken, makesID: makesID)
    }

    /// The id that the request shows, and whether one is made for each push instead.
    package func shownID(_ byDefault: APNSIDPolicy) -> (id: APNSID?, isMade: Bool) {
        switch apnsID ?? byDefault {
        case .generated: (nil, true)
        case .byServer: (nil, false)
        case .fixed(let id): (id, false)
        }
    }
}
