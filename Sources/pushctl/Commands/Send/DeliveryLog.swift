import SupervisedPush

/// Where Apple says what became of a push that it has accepted.
enum DeliveryLog {
    /// A line about an answer; nil if Apple keeps no log of the push, or another server has answered.
    static func line(of response: PushResponse, _ connection: ConnectionOptions) -> String? {
        guard response.isAccepted, response.uniqueID != nil, connection.environment == .development,
            connection.host.map({ $0.lowercased().hasSuffix(".push.apple.com") }) ?? true
        else { return nil }
        return
            "pushctl: Apple's Push Notifications Console has the log of its delivery for seven days, by the unique-id"
    }
}
