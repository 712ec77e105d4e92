extension PushNotification {
    /// Starts, updates or ends a Live Activity.
    ///
    /// ```swift
    /// let update = try PushNotification.liveActivity(
    ///     .update(Delivery(driver: "Anna", minutes: 4), timestamp: now), alert: Alert(title: "Almost there"))
    /// ```
    /// Without a priority it is sent at once, which counts against the activity's budget: set 5 for what can wait.
    ///
    /// - Parameters:
    ///   - activity: what happens to it.
    ///   - alert: shown as well; a start needs one. Localized texts are written as Live Activities want them.
    ///   - sound: played with the alert; without one it is left out.
    ///   - relevanceScore: of several activities the one with the highest is shown in the Dynamic Island.
    ///   - fit: what happens if it is over 4096 bytes; by default it is refused when it is pushed. The content state is never cut.
    ///   - limit: bytes; 5120 for a broadcast.
    /// - Throws: `InvalidPush`: `.relevanceOutOfRange`, `.volumeOutOfRange`, or `.payloadTooLarge` if it was to be made to fit.
    public static func liveActivity(
        _ activity: LiveActivity, alert: Alert? = nil, sound: Sound? = nil, relevanceScore: Double? = nil,
        fit: PayloadFit = .reject, limit: Int = PushType.liveActivity.maxPayloadBytes
    ) throws(InvalidPush) -> PushNotification {
        var aps = APS(alert: alert, sound: sound)
        aps.relevanceScore = relevanceScore
        aps.liveActivity = activity
        return PushNotification(payload: try Payload(aps, fit: fit, limit: limit), pushType: .liveActivity)
    }
}
