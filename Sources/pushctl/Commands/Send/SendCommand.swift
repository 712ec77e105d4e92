import ArgumentParser
import SupervisedPush

/// `pushctl send`: one push, and what to make of its answer.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Push to one device token and print the answer.",
        discussion: """
            Prints status, apns-id, reason and what to do about it. The timeout counts from the start.

            The push types background, widgets, controls, location and fileprovider need no flag for their payload; \
            voip, complication and pushtotalk need --content.
            """)

    @OptionGroup var options: SendOptions

    func run() async throws {
        let status = try await send()
        if status != .success { throw ExitCode(status.rawValue) }
    }

    private func send() async throws(CommandError) -> ExitStatus {
        let push = try makePush()
        if options.header.dryRun {
            try DryRun(options.connection, push.notification, .device(push.deviceToken)).report(isJSON: options.json)
            return .success
        }
        let addressee = SendAnswer.Addressee(name: "token", text: options.token)
        return try await OneShot(options.connection, addressee, isJSON: options.json).run { runtime, name, completion in
            runtime.push(name: name, push.notification, to: push.deviceToken, completion: completion)
        }
    }

    private func makePush() throws(CommandError) -> Push {
        do {
            var notification = try SendPayload(options, now: UTC.now).notification()
            notification.waived = options.waive.reduce([]) { $0.union($1.rule) }
            notification.headers = options.header.headers
            if let priority = options.priority { notification.priority = PushPriority(rawValue: priority) }
            if let expiration = options.expiration { notification.expiration = Expiration(unixSeconds: expiration) }
            if let collapseID = options.collapseID {
                notification.collapseID = try CollapseID(collapseID, maxBytes: options.maxCollapseIDBytes)
            }
            if let id = options.apnsID.flatMap({ APNSID($0) }) { notification.apnsID = .fixed(id) }
            return Push(notification, to: try DeviceToken(options.token))
        } catch let error as CommandError {
            throw error
        } catch {
            throw .usage("\(error)")
        }
    }
}
