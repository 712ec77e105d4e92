/// A notification, the device it goes to, and a context that returns with the outcome.
public struct Push: Sendable {
    /// The notification.
    public var notification: PushNotification
    /// The device it goes to.
    public var deviceToken: DeviceToken
    /// A value of yours that is returned with outcome, feedback and hand-back. It is never sent.
    public var context: (any Sendable)?

    /// Creates a push of a notification to a device.
    public init(_ notification: PushNotification, to deviceToken: DeviceToken, context: (any Sendable)? = nil) {
        self.notification = notification
        self.deviceToken = deviceToken
        self.context = context
    }
}

extension Push: Hashable {
    /// Whether notification and device are the same. The context is not compared.
    public static func == (left: Push, right: Push) -> Bool {
        left.deviceToken == right.deviceToken && left.notification == right.notification
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(deviceToken)
        hasher.combine(notification)
    }
}

extension Push: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The shortened device token and the notification without its content. Contains nothing of the context.
    public var description: String { "Push(to: \(deviceToken), \(notification))" }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
