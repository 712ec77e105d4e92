import ArgumentParser
import PushTerminal
import SupervisedPush

/// `pushctl broadcast`: sends one broadcast and explains its answer.
struct BroadcastCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broadcast",
        abstract: "Broadcast a Live Activity's update to a channel and print the answer.",
        discussion: """
            Example:
              pushctl broadcast dHN0… --event update --content-state '{"home": 1}' \\
                  --profile scores

            Every device that follows the channel gets it. The bundle id is --topic, without a suffix. \
            See also: pushctl channels --help.
            """)

    @OptionGroup var options: BroadcastOptions

    func run() async throws {
        let channel = try options.channelID()
        let notification = try makeNotification()
        if options.header.dryRun {
            return try DryRun(options.connection, notification: notification, to: .channel(channel, bundleID: nil))
                .report(isJSON: options.json)
        }
        let addressee = SendAnswer.Addressee(name: "channel", text: options.channel, idField: "apns-request-id")
        let status = try await SinglePush(options.connection, addressee, isJSON: options.json).run {
            $0.broadcasts.push(notification, to: channel, completion: $1)
        }
        if status != .success { throw ExitCode(status.rawValue) }
    }

    private func makeNotification() throws(CommandError) -> PushNotification {
        var notification: PushNotification
        do { notification = try SendPayload(options, now: UTC.now).notification() } catch let error as CommandError {
            throw error
        } catch {
            throw .usage("\(error)")
        }
        notification.waived = options.waive.reduce([]) { $0.union($1.rule) }
        notification.headers = options.header.headers
        if let priority = options.priority { notification.priority = PushPriority(rawValue: priority) }
        if let expiration = options.expiration { notification.expiration = Expiration(unixSeconds: expiration) }
        if let id = options.requestID.flatMap({ APNSID($0) }) { notification.apnsID = .fixed(id) }
        return notification
    }
}
