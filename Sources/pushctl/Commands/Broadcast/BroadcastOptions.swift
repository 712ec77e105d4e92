import ArgumentParser
import PushTerminal
import SupervisedPush

/// The arguments of `pushctl broadcast`.
struct BroadcastOptions: ParsableArguments {
    @Argument(help: "The channel's id, as it was given when the channel was created.")
    var channel: String

    @Option(
        help: """
            A JSON file with the whole payload, in place of the other payload flags; - reads standard input. \
            At most 5120 bytes.
            """, completion: .file(extensions: ["json"]))
    var payload: String?

    @Option(help: "The apns-priority: 10, 5 or 1. 10 when left out.")
    var priority: Int?

    @Option(
        help: "The apns-expiration in UNIX seconds. 0 when left out, the only value for a channel without storage."
    )
    var expiration: Int64?

    @Option(name: .customLong("request-id"), help: "The apns-request-id, a UUID; made here when left out.")
    var requestID: String?

    @Option(help: "What to do with a payload over its limit; truncate-body cuts the alert's text.")
    var fit = FitMode.reject

    @Option(help: ArgumentHelp("A rule not to check; may be repeated.", valueName: "rule"))
    var waive: [WaivedRule] = []

    @Flag(help: "A JSON line on standard output.")
    var json = false

    @OptionGroup(title: "Live Activity")
    var activity: ActivityOptions

    @OptionGroup(title: "Alert")
    var alert: AlertOptions

    @OptionGroup(title: "Header fields")
    var header: HeaderOptions

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    init() {}

    /// `validate` has checked the id.
    func channelID() throws(CommandError) -> ChannelID { try ChannelOptions.channel(channel) }

    mutating func validate() throws {
        try ChannelOptions.validate(channel: channel)
        switch (payload != nil, activity.isGiven || alert.isGiven) {
        case (false, _) where !activity.isGiven:
            throw ValidationError("No payload: give --event update or end with its flags, or --payload FILE.")
        case (true, true):
            throw ValidationError("--payload is the whole payload; leave out --event, --title and the like.")
        default: break
        }
        try activity.checkSound(alert)
        try HeaderChecks.priority(priority, waived: waive)
        try HeaderChecks.expiration(expiration)
        try HeaderChecks.id("--request-id", requestID)
        try connection.checkTopicForOnePush()
    }
}
