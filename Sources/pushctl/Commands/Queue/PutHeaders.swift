import PushTerminal
import SupervisedPush

/// The headers that the flags of `queue put` give to notifications without their own.
///
/// With `bulk` they are the connection's defaults; here they must be in the entry.
struct PutHeaders {
    private var defaults = RequestDefaults()
    /// The latest notification, before and after: most records share it.
    private var latest: (given: PushNotification, completed: PushNotification)?

    init() {}

    /// - Throws: Exit code 64 for a collapse id that cannot be used.
    init(_ campaign: CampaignOptions, topic: String?) throws(CommandError) {
        defaults.topic = topic.map { Topic(rawValue: $0) }
        try campaign.set(&defaults)
    }

    /// The notification as it is stored. Its pushes get the ids of the entry.
    mutating func completed(_ given: PushNotification) -> PushNotification {
        if let latest, latest.given == given { return latest.completed }
        var notification = given
        notification.apnsID = nil
        notification.topic = notification.topic ?? defaults.topic
        notification.pushType = notification.pushType ?? defaults.pushType
        notification.priority = notification.priority ?? defaults.priority
        notification.expiration = notification.expiration ?? defaults.expiration
        notification.collapseID = notification.collapseID ?? defaults.collapseID
        notification.waived.formUnion(defaults.waived)
        latest = (given, notification)
        return notification
    }

    /// Refuses what no worker could push. The topic may be the worker's, which is not known here.
    static func check(_ notification: PushNotification) throws(RecordPusher.Problem) {
        // An entry cannot have another one, even if the rule is waived.
        if let priority = notification.priority?.rawValue, !HeaderChecks.priorities.contains(priority) {
            throw RecordPusher.Problem(HeaderChecks.priorityProblem("\(priority)"))
        }
        do throws(InvalidPush) {
            try notification.validate(defaults: RequestDefaults(topic: Topic(rawValue: "com.example.app")))
        } catch {
            let isTooLarge = error.code == .payloadTooLarge
            throw RecordPusher.Problem("\(error)", reason: isTooLarge ? "payload_too_large" : "invalid_input")
        }
    }
}
