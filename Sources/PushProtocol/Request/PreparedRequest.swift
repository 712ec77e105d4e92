/// A request as it would be sent, to look at: its header fields and its body.
///
/// ```swift
/// print(try notification.request(to: token, defaults: config.defaults).text)   // without a runtime
/// print(try orders.request(notification, to: token).text)     // as this connection would send it
/// ```
/// Nothing is sent, and no provider token is made. The token's place is taken by `<provider token>`; an apns-id that is made for each
/// push by `<made for each push>`. Header fields of your own are shown as they are.
public struct PreparedRequest: Hashable, Sendable {
    /// What stands in the place of a provider token.
    public static let providerToken = "<provider token>"
    /// What stands in the place of an apns-id that is made for each push.
    public static let generatedID = "<made for each push>"

    /// All header fields in wire order, the pseudo-header fields `:method`, `:scheme`, `:authority` and `:path` first.
    public let headers: RequestHeaders
    /// The body: the payload's JSON.
    public let body: [UInt8]

    /// The value of `:path`, with the whole device token.
    public var path: String { headers[":path"] ?? "" }

    /// The body as text.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// A line for each header field, an empty one, and the body.
    public var text: String {
        headers.fields.map { "\($0.name): \($0.value)\n" }.joined() + "\n\(bodyText)\n"
    }

    /// - Parameters:
    ///   - showsToken: whether the connection shows provider tokens.
    ///   - makesID: whether an id is made for each push.
    package init(
        _ head: RequestHead, _ payload: Payload, authority: String, showsToken: Bool, makesID: Bool
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

        mutating func field(_ name: StaticString, _ value: UnsafeRawBufferPointer, _ indexing: TableUse) {
            headers.append(name: "\(name)", value: String(decoding: value, as: UTF8.self))
        }

        mutating func field(_ field: RequestHeaders.Field, _ indexing: TableUse) {
            headers.append(name: field.name, value: field.value)
        }
    }
}

extension PreparedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the fields and the size of the body, nothing of their content; ``text`` has that.
    public var description: String { "PreparedRequest(\(headers), \(body.count) bytes)" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PushNotification {
    /// The request of a push of this notification, checked as ``validate(defaults:requiresTopic:)`` does; for a test, or to see what the
    /// defaults add.
    ///
    /// - Parameters:
    ///   - deviceToken: where it would go.
    ///   - defaults: the connection's.
    ///   - host: the value of `:authority`.
    ///   - withProviderToken: whether the connection shows provider tokens; false for a certificate.
    /// - Throws: `InvalidPush`, which names the rule that it breaks.
    public func request(
        to deviceToken: DeviceToken, defaults: RequestDefaults = RequestDefaults(),
        host: String = "api.push.apple.com", withProviderToken: Bool = true
    ) throws(InvalidPush) -> PreparedRequest {
        let (id, makesID) = shownID(defaults.apnsID)
        let head = RequestHead(self, to: deviceToken, defaults: defaults, apnsID: id)
        try head.check(payload, requiresTopic: withProviderToken)
        return PreparedRequest(head, payload, authority: host, showsToken: withProviderToken, makesID: makesID)
    }

    /// The id that its request shows, and whether one is made in its place.
    package func shownID(_ byDefault: APNSIDPolicy) -> (id: APNSID?, isMade: Bool) {
        switch apnsID ?? byDefault {
        case .generated: (nil, true)
        case .byServer: (nil, false)
        case .fixed(let id): (id, false)
        }
    }
}
