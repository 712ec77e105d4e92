import ArgumentParser
import PushInspection
import PushReview
import PushTerminal
import SupervisedPush

/// `pushctl send`: sends one push and explains its answer.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Push to one device token and print the answer.",
        discussion: """
            Examples:
              pushctl send f1a2… --title 'Flight A998' --body Boarding \\
                  --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ --topic com.example.app
              pushctl send f1a2… --payload push.json --profile orders
              pushctl simulate -- pushctl send deadbeef --body Boarding

            Prints status, apns-id, reason and what to do about it. The timeout counts from the start.

            The push types background, widgets, controls, location and fileprovider need no flag for their payload; \
            voip, complication and pushtotalk need --content, and accessory, whose content is its aps.
            """)

    @OptionGroup var options: SendOptions

    func run() async throws {
        let status = try await send()
        if status != .success { throw ExitCode(status.rawValue) }
    }

    private func send() async throws(CommandError) -> ExitStatus {
        let notification = try makeNotification()
        try review(notification)
        guard let token = options.token else { return try simulate(notification) }
        let push = try address(notification, token)
        if options.header.dryRun {
            try DryRun(options.connection, notification: push.notification, to: .device(push.deviceToken)).report(
                isJSON: options.json)
            return .success
        }
        let addressee = SendAnswer.Addressee(name: "token", text: token)
        return try await SinglePush(options.connection, addressee, isJSON: options.json).run(push.notification) {
            $0.push(push.notification, to: push.deviceToken, completion: $1)
        }
    }

    /// Warns of what no device would show or understand, or refuses it.
    private func review(_ notification: PushNotification) throws(CommandError) {
        for finding in PayloadReview.findings(in: notification.payload.bytes, type: options.headers.pushType) {
            if options.strict { throw .usage("the payload: \(finding.asSentence) --strict sends nothing then.") }
            StandardError.write("pushctl: the payload: \(finding)".onOneLine)
        }
    }

    /// `validate` has checked that device and app are given if there is no device token.
    private func simulate(_ notification: PushNotification) throws(CommandError) -> ExitStatus {
        let push = try SimulatorPush(
            notification, device: options.simulator.device ?? "", bundle: options.simulator.bundle ?? "")
        if options.header.dryRun {
            try push.dryRun(isJSON: options.json)
        } else {
            try push.run(isJSON: options.json)
        }
        return .success
    }

    private func address(_ notification: PushNotification, _ token: String) throws(CommandError) -> Push {
        do { return Push(notification, to: try DeviceToken(token)) } catch { throw .usage("\(error)") }
    }

    private func makeNotification() throws(CommandError) -> PushNotification {
        do {
            var notification = try SendPayload(options, now: UTC.now).notification()
            let headers = options.headers
            notification.waived = headers.waived
            notification.headers = options.header.headers
            if let priority = headers.priority { notification.priority = PushPriority(rawValue: priority) }
            if let expiration = headers.expiration { notification.expiration = Expiration(unixSeconds: expiration) }
            if let collapseID = headers.collapseID {
                notification.collapseID = try CollapseID(collapseID, maxBytes: headers.maxCollapseIDBytes)
            }
            if let id = options.apnsID.flatMap({ APNSID($0) }) { notification.apnsID = .fixed(id) }
            return notification
        } catch let error as CommandError {
            throw error
        } catch {
            throw .usage("\(error)")
        }
    }
}
