import ArgumentParser

/// The arguments of `pushctl send`.
package struct SendOptions: ParsableArguments {
    @Argument(help: "The device token, in hexadecimal.")
    package var token: String

    @Option(help: "The alert's title.")
    package var title: String?

    @Option(help: "The alert's subtitle.")
    package var subtitle: String?

    @Option(help: "The alert's text.")
    package var body: String?

    @Option(help: "The number on the app's icon; 0 clears it.")
    package var badge: Int?

    @Option(help: "The sound's file name, or default.")
    package var sound: String?

    @Option(help: "The notification's category.")
    package var category: String?

    @Option(name: .customLong("thread-id"), help: "What groups notifications.")
    package var threadID: String?

    @Option(help: "A JSON file in place of the flags above; - reads standard input.")
    package var payload: String?

    @Option(help: "The apns-push-type. When left out, it follows from the payload.")
    package var pushType: String?

    @Option(help: "The apns-priority: 10, 5 or 1.")
    package var priority: Int?

    @Option(help: "The apns-expiration in UNIX seconds; 0 is a single attempt.")
    package var expiration: Int64?

    @Option(name: .customLong("collapse-id"), help: "The apns-collapse-id, at most 64 bytes.")
    package var collapseID: String?

    @Option(name: .customLong("apns-id"), help: "The apns-id, a UUID; made here when left out.")
    package var apnsID: String?

    @Flag(help: "A JSON line on standard output.")
    package var json = false

    @OptionGroup(title: "Connection options")
    package var connection: ConnectionOptions

    package init() {}

    /// Whether flags make the payload.
    package var hasAlertFlags: Bool {
        badge != nil || [title, subtitle, body, sound, category, threadID].contains { $0 != nil }
    }

    package mutating func validate() throws {
        guard Hexadecimal.isToken(token) else {
            throw ValidationError(
                "TOKEN is not a device token; give an even number of hexadecimal digits, without blanks or <>.")
        }
        switch (payload != nil, hasAlertFlags) {
        case (false, false):
            throw ValidationError("No payload: give --body TEXT, another flag of the alert, or --payload FILE.")
        case (true, true):
            throw ValidationError("--payload is the whole payload; leave out --title, --body and the like.")
        default: break
        }
        if let badge, badge < 0 { throw ValidationError("--badge \(badge) is below 0.") }
        if let priority, ![1, 5, 10].contains(priority) {
            throw ValidationError("--priority \(priority) is unknown to APNs; give 10, 5 or 1.")
        }
        if let expiration, expiration < 0 {
            throw ValidationError("--expiration \(expiration) is below 0; give UNIX seconds, or 0.")
        }
        if let collapseID, !(1...64).contains(collapseID.utf8.count) {
            throw ValidationError("--collapse-id has \(collapseID.utf8.count) bytes; APNs takes 1 to 64.")
        }
        if let apnsID, !Hexadecimal.isUUID(apnsID) {
            throw ValidationError("--apns-id is no UUID; give 8-4-4-4-12 hexadecimal digits or leave it out.")
        }
        try connection.checkTopicForOnePush()
    }
}

extension ConnectionOptions {
    fileprivate func checkTopicForOnePush() throws {
        do {
            try requireTopic(recordsMayNameOne: false)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
