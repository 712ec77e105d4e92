extension PushNotification {
    /// An alert: text, sound, badge. Every part may be left out; the badge 0 clears, nil leaves alone.
    ///
    /// The parts are those of `Payload`. Set further headers on the result.
    public static func alert(
        title: String? = nil, subtitle: String? = nil, body: String? = nil, badge: Int? = nil, sound: String? = nil,
        category: String? = nil, threadID: String? = nil, targetContentID: String? = nil,
        contentAvailable: Bool = false, mutableContent: Bool = false
    ) -> PushNotification {
        PushNotification(
            payload: Payload(
                title: title, subtitle: subtitle, body: body, badge: badge, sound: sound, category: category,
                threadID: threadID, targetContentID: targetContentID, contentAvailable: contentAvailable,
                mutableContent: mutableContent))
    }

    /// An alert with your own values beside `aps`.
    ///
    /// - Throws: `InvalidPush` with the code `.customKeyReserved` for a value named `aps`, `.customValueNotFinite` for a
    ///   number that JSON cannot hold.
    public static func alert(
        title: String? = nil, subtitle: String? = nil, body: String? = nil, badge: Int? = nil, sound: String? = nil,
        category: String? = nil, threadID: String? = nil, targetContentID: String? = nil,
        contentAvailable: Bool = false, mutableContent: Bool = false, custom: [String: JSONValue]
    ) throws(InvalidPush) -> PushNotification {
        PushNotification(
            payload: try Payload(
                title: title, subtitle: subtitle, body: body, badge: badge, sound: sound, category: category,
                threadID: threadID, targetContentID: targetContentID, contentAvailable: contentAvailable,
                mutableContent: mutableContent, custom: custom))
    }

    /// An alert with any key of `aps`, and your own values beside it.
    ///
    /// - Parameter fit: what happens if it is over 4096 bytes; by default it is refused when it is pushed.
    /// - Throws: `InvalidPush`, as ``Payload/init(_:custom:fit:limit:)`` does.
    public static func alert(
        _ aps: APS, custom: [String: JSONValue] = [:], fit: PayloadFit = .reject
    ) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(aps, custom: custom, fit: fit))
    }

    /// An alert with any key of `aps`, and the members of your own type beside it.
    ///
    /// - Parameter fit: what happens if it is over 4096 bytes; by default it is refused when it is pushed.
    /// - Throws: `InvalidPush`, as ``Payload/init(_:content:fit:limit:)`` does.
    public static func alert(
        _ aps: APS, content: some Encodable, fit: PayloadFit = .reject
    ) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(aps, content: content, fit: fit))
    }

    /// A background push: `content-available` alone, sent with priority 5. The system permits two or three an hour.
    public static func background() -> PushNotification {
        PushNotification(payload: Payload(contentAvailable: true), pushType: .background)
    }

    /// A background push with your own values beside `aps`.
    ///
    /// - Throws: `InvalidPush` with the code `.customKeyReserved` or `.customValueNotFinite`.
    public static func background(custom: [String: JSONValue]) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(contentAvailable: true, custom: custom), pushType: .background)
    }

    /// A background push with the members of your own type beside `aps`.
    ///
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable`, `.contentNotObject` or `.customKeyReserved`.
    public static func background(content: some Encodable) throws(InvalidPush) -> PushNotification {
        var aps = APS()
        aps.contentAvailable = true
        return PushNotification(payload: try Payload(aps, content: content), pushType: .background)
    }

    /// A push to a site's visitors in Safari on macOS, the way before Web Push. The topic is the website push id, `web.…`, and the
    /// credential its certificate.
    ///
    /// - Parameters:
    ///   - title: the first line.
    ///   - body: the text.
    ///   - action: the label of the button; nil: “Show”.
    ///   - urlArguments: what fills the places of the site's URL, one each; empty for a site without any.
    public static func safari(
        title: String, body: String, action: String? = nil, urlArguments: [String]
    ) -> PushNotification {
        var aps = APS(alert: Alert(title: AlertText(title), body: AlertText(body)))
        aps.alert?.action = action
        aps.urlArguments = urlArguments
        return PushNotification(payload: Payload(checked: aps, [:]), pushType: .alert)
    }
}
