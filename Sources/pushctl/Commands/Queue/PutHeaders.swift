import PushCampaign
import PushTerminal
import SupervisedPush

/// The headers that the flags of `queue put` give to notifications without their own.
///
/// With `bulk` they are the connection's defaults; here they must be in the entry.
struct PutHeaders {
    private(set) var defaults = RequestDefaults()
    /// The latest notification, before and after: most records share it.
    private var latest: (given: PushNotification, completed: PushNotification)?

    /// - Throws: Exit code 64 for a collapse id that cannot be used.
    init(_ campaign: CampaignOptions, topic: String?) throws(CommandError) {
        defaults.topic = topic.map { Topic(rawValue: $0) }
        try campaign.set(&defaults)
    }

    /// The notification as it is stored. Its pushes get the ids of the entry.
    ///
    /// - Throws: A problem with a priority that an entry cannot have, even if the rule is waived.
    mutating func completed(_ given: PushNotification) throws(RecordProblem) -> PushNotification {
        if let latest, latest.given == given { return latest.completed }
        var notification = given
        notification.apnsID = nil
        notification.topic = notification.topic ?? defaults.topic
        notification.pushType = notification.pushType ?? defaults.pushType
        notification.priority = notification.priority ?? defaults.priority
        notification.expiration = notification.expiration ?? defaults.expiration
        notification.collapseID = notification.collapseID ?? defaults.collapseID
        notification.headers = defaults.headers
        notification.waived.formUnion(defaults.waived)
        if let priority = notification.priority?.rawValue, !RecordPriority.known.contains(priority) {
            throw RecordProblem(RecordPriority.problem("\(priority)"))
        }
        latest = (given, notification)
        return notification
    }
}
