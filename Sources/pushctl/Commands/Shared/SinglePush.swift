import PushCampaign
import PushLocking
import PushTerminal
import SupervisedPush

/// One push of a command: it makes a connection, prints the answer, and exits with a code.
struct SinglePush {
    /// Pushes over the connection, and calls back.
    typealias Call = (
        PushConnection, _ completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle

    private static let name = "send"
    private let connection: ConnectionOptions
    private let addressee: SendAnswer.Addressee
    private let isJSON: Bool

    init(_ connection: ConnectionOptions, _ addressee: SendAnswer.Addressee, isJSON: Bool) {
        self.connection = connection
        self.addressee = addressee
        self.isJSON = isJSON
    }

    /// - Parameter notification: One to a device, which gets the configuration's defaults.
    func run(_ notification: PushNotification? = nil, _ push: Call) async throws(CommandError) -> ExitStatus {
        let say: @Sendable (LogLine) -> Void = { StandardError.write($0) }
        var config = try connection.config(StandardErrorLog.logger(isVerbose: connection.verbose, say))
        if let notification {
            try Self.checkExpiration(
                of: notification, defaults: config.defaults, path: try connection.settings.source()?.path)
        }
        let runtime = PushRuntime(.init(logger: nil))
        let giveUp = GiveUp(runtime)
        let watch = LinkWatch(config, connection: connection, say: FirstLink.withoutLinks(say), giveUp: { giveUp() })
        let steps = connection.verbose ? LinkSteps(say: say) : nil
        config.watching.observer = FirstLink(endpoint: watch.endpoint, steps: steps, say: say, giveUp: { giveUp() })
        let opened = try connection.connect(on: runtime, name: Self.name, config: config, owner: watch.mailbox)
        giveUp.connected()
        let run = CommandRun(runtime: runtime, watch: watch, drain: connection.drain.duration, say: say)
        var handle: PushHandle?
        let (outcome, signal) = await run {
            await withHandOver { handOver in
                handle = push(opened) { outcome in
                    steps?.answered(outcome)
                    handOver.resume(returning: outcome)
                }
            }
        }
        return try report(handle, outcome: outcome, watch: watch, signal: signal)
    }

    /// Refuses a push that has expired by the configuration before it is made. The flag was checked with the others.
    static func checkExpiration(
        of notification: PushNotification, defaults: RequestDefaults, path: String?
    ) throws(CommandError) {
        guard notification.expiration == nil,
            let expiration = HeadTemplate.expiration(of: notification, defaults: defaults).unixSeconds,
            let problem = PastExpiration.problem(expiration, now: UTC.now)
        else { return }
        throw .configuration(
            "\(path ?? "the configuration"): expiration \(expiration): the push \(problem); "
                + "give UNIX seconds to come, or 0 for a single attempt")
    }

    private func report(
        _ handle: PushHandle?, outcome: Result<PushResponse, PushError>, watch: LinkWatch, signal: StopSignal?
    ) throws(CommandError) -> ExitStatus {
        var end = RunEnd()
        end.signal = signal
        end.linkEverUp = watch.wasEverUp
        end.attempted = 1
        let row = OutcomeRow(
            token: addressee.text, apnsID: handle?.apnsID, outcome, attempts: handle?.attempts ?? 0,
            ending: signal.map { _ in .stopped })
        let answer: SendAnswer
        switch outcome {
        case .success(let response):
            end.credentialWasRefused = response.refusesCredential
            let doubt = connection.clockDoubt(response.reason)
            answer = SendAnswer(row, to: addressee, response: response, doubt: doubt)
        case .failure(let error):
            end.credentialWasRefused = error.code == .credentialRefused || watch.refusedCredential
            if error.isInvalidInput { end.attempted = 0 }
            let sentence = watch.wasEverUp || signal != nil ? nil : FirstLink.sentence(error)
            answer = SendAnswer(row, to: addressee, error: error, sentence: sentence)
        }
        end.tally.count(answer.row)
        let bytes = isJSON ? answer.json : Array(answer.text(.standardOutput).utf8)
        end.print { () throws(CommandError) in try OutputFile.standardOutput.write(bytes) }
        if case .success(let response) = outcome, let line = DeliveryLog.line(of: response, connection) {
            StandardError.write(line)
        }
        if end.status == .unavailable { throw watch.unavailable(hasExpired: answer.row.reason == "expired") }
        return end.status
    }
}

extension ConnectionOptions {
    /// A remark on this machine's clock, if APNs refuses a provider token that was made here.
    func clockDoubt(_ reason: RejectionReason?) -> String? {
        key == nil ? nil : TokenClock.doubt(reason?.rawValue, now: UTC.now)
    }
}

extension LinkWatch {
    /// For a single request: `giveUp` ends it if no link comes up in time, and if the credential is refused.
    convenience init(
        _ config: PushConnection.Configuration, connection: ConnectionOptions,
        say: @escaping @Sendable (LogLine) -> Void,
        giveUp: @escaping @Sendable () -> Void
    ) {
        self.init(
            endpoint: "\(config.effectiveHost):\(config.port)", maxOutage: connection.maxOutage.duration, say: say,
            .init(outage: giveUp, credentialRefused: giveUp))
    }

    /// The error of a command without a link.
    func unavailable(hasExpired: Bool = false) -> CommandError {
        let limit = hasExpired ? "before the push expired" : "within the timeout"
        let cause = lastFailure?.description ?? "no link came up \(limit)"
        return CommandError(
            .unavailable,
            "\(endpoint) could not be reached: \(cause)\(cause.hasSuffix(".") ? "" : ".")"
                + " pushctl doctor tells which layer fails.")
    }
}
