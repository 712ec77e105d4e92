import SupervisedPush

extension DeviceArrival {
    init(_ push: InboxPush) {
        number = push.number
        app = Self.bundleID(of: push.topic ?? "")
        // Without the header it is 10.
        priority = push.priority.flatMap { Int($0) } ?? 10
        expiration = push.expiration.flatMap { Int64($0) }
        collapseID = push.collapseID
        effect = Effect(push)
        time = push.wallClock
    }

    static func bundleID(of topic: String) -> String {
        PushType.topicSuffixes.first(where: topic.hasSuffix).map { String(topic.dropLast($0.count)) } ?? topic
    }
}

extension DeviceArrival.Effect {
    init(_ push: InboxPush) {
        let aps = push.parsedPayload?["aps"]
        switch push.pushType {
        case "alert", nil: self = .notification(DeviceNotification(aps))
        case "background": self = .background
        case "voip", "pushtotalk": self = .urgent
        case "liveactivity": self = ActivityChange(aps).map { .activity($0) } ?? .unseen
        default: self = .unseen
        }
    }
}

extension DeviceNotification {
    /// What the `aps` of an alert shows. A key that stands for a text of the app is shown as the key.
    init(_ aps: JSONValue?) {
        self.init()
        let alert = aps?["alert"]
        if let text = alert?.stringValue {
            body = text
        } else {
            title = Self.text(in: alert, plain: "title", key: "title-loc-key")
            subtitle = Self.text(in: alert, plain: "subtitle", key: "subtitle-loc-key")
            body = Self.text(in: alert, plain: "body", key: "loc-key")
        }
        thread = aps?["thread-id"]?.stringValue
        sound = aps?["sound"]?.stringValue ?? aps?["sound"]?["name"]?.stringValue
        badge = aps?["badge"]?.integerValue
        if aps?["sound"]?["critical"]?.integerValue == 1 { level = .critical }
        if let named = aps?["interruption-level"]?.stringValue.flatMap(Level.init(rawValue:)) { level = named }
    }

    private static func text(in alert: JSONValue?, plain: String, key: String) -> String? {
        alert?[plain]?.stringValue ?? alert?[key]?.stringValue
    }
}

extension ActivityChange {
    /// Nil without an event that a device knows.
    init?(_ aps: JSONValue?) {
        guard let event = aps?["event"]?.stringValue.flatMap(Event.init(rawValue:)) else { return nil }
        self.init(
            event: event, timestamp: Self.seconds(aps, "timestamp") ?? 0,
            dismissal: Self.seconds(aps, "dismissal-date"), stale: Self.seconds(aps, "stale-date"))
    }

    private static func seconds(_ aps: JSONValue?, _ name: String) -> Int64? {
        switch aps?[name] {
        case .integer(let number): Int64(number)
        case .double(let number) where abs(number) < 1e15: Int64(number.rounded(.towardZero))
        default: nil
        }
    }
}
