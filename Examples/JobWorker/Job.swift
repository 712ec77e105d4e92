import SupervisedPush

/// A push as a job queue keeps it.
struct Job: Sendable {
    /// What a duplicate would do.
    enum Kind: Sendable {
        /// The newest status replaces the one before: it has a collapse id, so a duplicate shows once.
        case orderStatus
        /// A second code would confuse its reader: a person decides.
        case oneTimeCode
    }

    let number: Int
    let kind: Kind
    let deviceToken: DeviceToken
    /// Made once and kept: every attempt is the same push to APNs.
    let apnsID = APNSID()
    /// How often it was pushed.
    var attempts = 0

    func notification() throws -> PushNotification {
        var notification = PushNotification.alert(
            title: kind == .orderStatus ? "Your order" : "Your code", body: kind == .orderStatus ? "Shipped" : "123456")
        notification.apnsID = .fixed(apnsID)
        if kind == .orderStatus { notification.collapseID = try CollapseID("order-\(number)") }
        return notification
    }
}
