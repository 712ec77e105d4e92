extension PushNotification {
    /// An alert: text, sound and badge. All parts are optional. The badge 0 removes the badge; nil keeps it.
    ///
    /// The parts are those of `Payload`. Set further headers on the result.
    public static func alert(
        title: String? = nil, subtitle: String? = nil, body: String? = nil, badge: Int? = nil, sound: String? = nil,
        category: String? = nil, threadID: String? = nil, targetContentID: String? = nil,
        contentAvailable: Bool = false, mutableContent: Bool = false, interruptionLevel: InterruptionLevel? = nil
    ) -> PushNotification {
        PushNotification(
            Payload(
                title: title, subtitle: subtitle, body: body, badge: badge, sound: sound, category: category,
                threadID: threadID, targetContentID: targetContentID, contentAvailable: contentAvailable,
                mutableContent: mutableContent, interruptionLevel: interruptionLevel))
    }

    /// An alert with texts that the app localizes: `.alert(title: .localized("FLIGHT_%@", "A998"), body: "Boarding")`.
    @_disfavoredOverload
    public static func alert(
        title: AlertText? = nil, subtitle: AlertText? = nil, body: AlertText? = nil, badge: Int? = nil,
        sound: String? = nil, category: String? = nil, threadID: String? = nil, targetContentID: String? = nil,
        contentAvailable: Bool = false, mutableContent: Bool = false, interruptionLevel: InterruptionLevel? = nil
    ) -> PushNotification {
        var aps = APS(badge: badge, sound: sound.map { Sound($0) }, threadID: threadID, category: category)
        if title != nil || subtitle != nil || body != nil {
            aps.alert = Alert(title: title, subtitle: subtitle, body: body)
        }
        (aps.contentAvailable, aps.mutableContent) = (contentAvailable, mutableContent)
        (aps.targetContentID, aps.interruptionLevel) = (targetContentID, interruptionLevel)
        return PushNotification(aps.payload([:]))
    }

    /// An alert with your own values beside `aps`.
    ///
    /// - Throws: `InvalidPush` with the code `.customKeyReserved` for a value named `aps`, or `.customValueNotFinite`
    ///   for a number that JSON cannot represent.
    public static func alert(
        title: String? = nil, subtitle: String? = nil, body: String? = nil, badge: Int? = nil, sound: String? = nil,
        category: String? = nil, threadID: String? = nil, targetContentID: String? = nil,
        contentAvailable: Bool = false, mutableContent: Bool = false, interruptionLevel: InterruptionLevel? = nil,
        content custom: [String: JSONValue]
    ) throws(InvalidPush) -> PushNotification {
        PushNotification(
            payload: try Payload(
                title: title, subtitle: subtitle, body: body, badge: badge, sound: sound, category: category,
                threadID: threadID, targetContentID: targetContentID, contentAvailable: contentAvailable,
                mutableContent: mutableContent, interruptionLevel: interruptionLevel, content: custom))
    }

    /// An alert with any key of `aps`, and your own values beside it.
    ///
    /// - Parameters:
    ///   - aps: The content of `aps`.
    ///   - custom: Values beside `aps`.
    ///   - fit: What to do if it exceeds 4096 bytes. By default pushing it throws an error.
    /// - Throws: `InvalidPush`, as ``Payload/init(_:content:fit:limit:)-(_,[String:JSONValue],_,_)`` does.
    public static func alert(
        _ aps: APS, content custom: [String: JSONValue] = [:], fit: PayloadFit = .reject
    ) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(aps, content: custom, fit: fit))
    }

    /// An alert with any key of `aps`, and the members of your own type beside it.
    ///
    /// - Parameters:
    ///   - aps: The content of `aps`.
    ///   - content: A value whose members are placed beside `aps`.
    ///   - fit: What to do if it exceeds 4096 bytes. By default pushing it throws an error.
    /// - Throws: `InvalidPush`, as ``Payload/init(_:content:fit:limit:)-(_,Encodable,_,_)`` does.
    public static func alert(
        _ aps: APS, content: some Encodable, fit: PayloadFit = .reject
    ) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(aps, content: content, fit: fit))
    }

    /// A background push: only `content-available`, sent with priority 5. The system allows two or three per hour.
    public static func background() -> PushNotification {
        PushNotification(payload: Payload(contentAvailable: true), pushType: .background)
    }

    /// A background push with your own values beside `aps`.
    ///
    /// - Throws: `InvalidPush` with the code `.customKeyReserved` or `.customValueNotFinite`.
    public static func background(content custom: [String: JSONValue]) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(contentAvailable: true, content: custom), pushType: .background)
    }

    /// A background push with the members of your own type beside `aps`.
    ///
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable`, `.contentNotObject` or `.customKeyReserved`.
    public static func background(content: some Encodable) throws(InvalidPush) -> PushNotification {
        var aps = APS()
        aps.contentAvailable = true
        return PushNotification(payload: try Payload(aps, content: content), pushType: .background)
    }

    /// A website push to Safari on macOS, the method before Web Push. The topic is the website push id, `web.…`, and
    /// the credential is its certificate.
    ///
    /// - Parameters:
    ///   - title: The first line.
    ///   - body: The text.
    ///   - action: The label of the button; nil for “Show”.
    ///   - urlArguments: The values for the placeholders in the site's URL; empty if it has none.
    public static func safari(
        title: String, body: String, action: String? = nil, urlArguments: [String]
    ) -> PushNotification {
        var aps = APS(alert: Alert(title: AlertText(title), body: AlertText(body)))
        aps.alert?.action = action
        aps.urlArguments = urlArguments
        return PushNotification(payload: aps.payload([:]), pushType: .alert)
    }
}
