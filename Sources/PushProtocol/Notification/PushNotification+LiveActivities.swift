extension PushNotification {
    /// Starts, updates or ends a Live Activity.
    ///
    /// ```swift
    /// let update = try PushNotification.liveActivity(
    ///     .update(Delivery(driver: "Anna", minutes: 4)), alert: Alert(title: "Almost there"))
    /// ```
    /// Without a priority it is sent at once, which counts against the activity's budget. Set 5 for updates that can
    /// wait.
    ///
    /// - Parameters:
    ///   - activity: What happens to the activity.
    ///   - alert: An alert to show as well; a start needs one. Localized texts are written in the form of Live
    ///     Activities.
    ///   - sound: The sound of the alert; ignored without an alert.
    ///   - relevanceScore: The Dynamic Island shows the activity with the highest score.
    ///   - fit: What to do if it exceeds 4096 bytes. By default pushing it throws an error. The content state is never
    ///     cut.
    ///   - limit: The limit in bytes; 5120 for a broadcast.
    /// - Throws: `InvalidPush` with the code `.keyMissing` for a start without an alert, `.relevanceOutOfRange`, `.volumeOutOfRange`, or `.payloadTooLarge` if it
    ///   cannot be cut to fit.
    public static func liveActivity(
        _ activity: LiveActivity, alert: Alert? = nil, sound: Sound? = nil, relevanceScore: Double? = nil,
        fit: PayloadFit = .reject, limit: Int = PushType.liveActivity.maxPayloadBytes
    ) throws(InvalidPush) -> PushNotification {
        if activity.event == .start, alert == nil {
            throw InvalidPush(.keyMissing, type: .liveActivity, key: "alert")
        }
        var aps = APS(alert: alert, sound: sound)
        aps.relevanceScore = relevanceScore
        aps.liveActivity = activity
        return PushNotification(payload: try Payload(aps, fit: fit, limit: limit), pushType: .liveActivity)
    }
}
