/// One broadcast of many, or one that was handed back: the notification, its channel, and the caller's context.
public struct Broadcast: Sendable {
    /// What is broadcast: the `update` or `end` of a Live Activity.
    public var notification: PushNotification
    /// The channel to broadcast to.
    public var channel: ChannelID
    /// The app's bundle id, without a suffix; nil: the topic of the connection's defaults.
    public var bundleID: String?
    /// A value of yours. It is never sent; you get it back with the outcome or the hand-back.
    public var context: (any Sendable)?

    /// Addresses a notification.
    public init(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil
    ) {
        self.notification = notification
        self.channel = channel
        self.bundleID = bundleID
        self.context = context
    }
}

extension Broadcast: Hashable {
    /// Whether notification, channel and bundle id are the same. The context is not compared.
    public static func == (left: Broadcast, right: Broadcast) -> Bool {
        left.channel == right.channel && left.bundleID == right.bundleID && left.notification == right.notification
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(channel)
        hasher.combine(bundleID)
        hasher.combine(notification)
    }
}

/// A broadcast as JSON: `{"channel": "dHN0…", "notification": {…}}`, and `bundleID` if it is set. The context is not
/// encoded.
extension Broadcast: Codable {
    private enum CodingKeys: String, CodingKey { case channel, notification, bundleID }
}

extension Broadcast: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The channel, and the notification without its content. Does not show the context.
    public var description: String { "Broadcast(to: \(channel), \(notification))" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PushRecord {
    /// The broadcast as its caller has it, with its bundle id resolved; nil if this is not a broadcast.
    var broadcast: Broadcast? {
        guard let route = head.template.route, route.action == .broadcast, let channel = route.channelID else {
            return nil
        }
        return Broadcast(notification, to: channel, bundleID: route.bundleID, context: context)
    }
}

extension Outbox {
    /// Gives the broadcast its id and its times. It is not offered yet.
    func issue(_ broadcast: Broadcast, options: PushOptions) -> PushRecord {
        let route = RequestRoute.broadcast(broadcast.channel, bundleID: broadcast.bundleID ?? bundleID)
        return issue(broadcast.notification, for: route, context: broadcast.context, options: options)
    }
}
