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

    /// A payload that is already JSON.
    ///
    /// - Parameters:
    ///   - json: one JSON object in UTF-8.
    ///   - pushType: the type; nil infers it from the payload.
    /// - Throws: `InvalidPush` with the code `.payloadEmpty` or `.payloadNotJSON`.
    public static func raw(_ json: [UInt8], pushType: PushType? = nil) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(json: json), pushType: pushType)
    }

    /// A payload that is already JSON.
    ///
    /// - Parameters:
    ///   - json: one JSON object.
    ///   - pushType: the type; nil infers it from the payload.
    /// - Throws: `InvalidPush` with the code `.payloadEmpty` or `.payloadNotJSON`.
    public static func raw(json: String, pushType: PushType? = nil) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(json: json), pushType: pushType)
    }

    /// A copy that replaces, on the device, an earlier notification with the same id, and is replaced by a later one: sent
    /// twice, it is shown once. That makes it safe to send again what may have been delivered.
    ///
    /// - Parameter id: the same at each attempt, another for each thing you tell, such as `order-4711-shipped`.
    public func collapsing(_ id: CollapseID) -> PushNotification {
        var copy = self
        copy.collapseID = id
        return copy
    }
}
