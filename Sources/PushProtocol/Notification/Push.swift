/// One push of many: a notification, the device it goes to, and what the caller wants to find again with its outcome.
public struct Push: Sendable {
    /// What is pushed.
    public var notification: PushNotification
    /// The device it goes to.
    public var deviceToken: DeviceToken
    /// Carried along and given back with the outcome, feedback and hand-back; never sent.
    public var context: (any Sendable)?

    /// Addresses a notification.
    public init(_ notification: PushNotification, to deviceToken: DeviceToken, context: (any Sendable)? = nil) {
        self.notification = notification
        self.deviceToken = deviceToken
        self.context = context
    }
}

extension Push: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The shortened device token and the notification without its content; nothing of the context.
    public var description: String { "Push(to: \(deviceToken), \(notification))" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
