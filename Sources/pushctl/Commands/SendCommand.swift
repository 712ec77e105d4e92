import ArgumentParser
import SupervisedPush

/// `pushctl send`: one push, and what to make of its answer.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Push to one device token and print the answer.",
        discussion: "Prints status, apns-id, reason and what to do about it. The timeout counts from the start.")

    private static let name = "send"

    @OptionGroup var options: SendOptions

    func run() async throws {
        let status = try await send()
        if status != .success { throw ExitCode(status.rawValue) }
    }

    private func send() async throws(CommandError) -> ExitStatus {
        let push = try makePush()
        let say: @Sendable (String) -> Void = { StandardError.write($0) }
        let config = try options.connection.config(StandardErrorLog.logger(say))
        let runtime = PushRuntime()
        let connection = options.connection
        let watch = LinkWatch(
            endpoint: "\(config.effectiveHost):\(config.port)", maxOutage: connection.maxOutage.duration, say: say,
            .init(
                outage: { Task { await runtime.close(name: Self.name, within: .zero) } },
                credentialRefused: { Task { await runtime.close(name: Self.name, within: .zero) } }))
        try connection.connect(runtime, Self.name, config, watch.mailbox)
        let signals = SignalWatcher(onFirst: { _ in
            Task { await runtime.close(name: Self.name, within: connection.drain.duration) }
        })
        let watching = Task { await watch.run() }
        let (handle, outcome) = await withCheckedContinuation { continuation in
            Self.push(push, runtime) { continuation.resume(returning: ($0, $1)) }
        }
        await runtime.shutdown(within: .zero)
        watch.mailbox.close()
        await watching.value
        return try report(handle, outcome, watch, signals.first)
    }

    /// Pushes, and calls back with the handle too.
    private static func push(
        _ push: Push, _ runtime: PushRuntime,
        _ completion: @escaping @Sendable (PushHandle, Result<PushResponse, PushError>) -> Void
    ) {
        // The handle comes from the call, the outcome later or sooner: whoever is second calls.
        let book = FlightBook(completion)
        book.departed(
            runtime.push(name: name, push.notification, to: push.deviceToken) { book.settled($0) })
    }

    // MARK: The push

    private func makePush() throws(CommandError) -> Push {
        do {
            var notification = try notification()
            if let type = options.pushType { notification.pushType = PushType(rawValue: type) }
            if let priority = options.priority { notification.priority = PushPriority(rawValue: priority) }
            if let expiration = options.expiration { notification.expiration = Expiration(unixSeconds: expiration) }
            if let collapseID = options.collapseID { notification.collapseID = try CollapseID(collapseID) }
            if let id = options.apnsID.flatMap({ APNSID($0) }) { notification.apnsID = .fixed(id) }
            return Push(notification, to: try DeviceToken(options.token))
        } catch let error as CommandError {
            throw error
        } catch {
            throw .usage("\(error)")
        }
    }

    private func notification() throws -> PushNotification {
        guard let path = options.payload else {
            return .alert(
                title: options.title, subtitle: options.subtitle, body: options.body, badge: options.badge,
                sound: options.sound, category: options.category, threadID: options.threadID)
        }
        let bytes = try InputFile.contents(of: path, limit: RecordReaders.longestRecord)
        let name = path == "-" ? "standard input" : path
        if bytes.isEmpty { throw CommandError.input("\(name) is empty; it must hold a JSON object") }
        if let problem = JSONScanner.problem(inObject: bytes) {
            throw CommandError.input("\(name): the payload \(problem)")
        }
        return try .raw(bytes)
    }

    // MARK: The end

    private func report(
        _ handle: PushHandle, _ outcome: Result<PushResponse, PushError>, _ watch: LinkWatch, _ signal: StopSignal?
    ) throws(CommandError) -> ExitStatus {
        var end = RunEnd()
        end.signal = signal
        end.linkEverUp = watch.wasEverUp
        end.attempted = 1
        let answer: SendAnswer
        switch outcome {
        case .success(let response):
            end.credentialWasRefused = response.refusesCredential
            answer = SendAnswer(OutcomeRow(line: 0, token: options.token, handle, response), response)
        case .failure(let error):
            end.credentialWasRefused = error.code == .credentialRefused || watch.refusedCredential
            if error.isInvalidInput { end.attempted = 0 }
            let row = OutcomeRow(line: 0, token: options.token, handle, error, signal.map { .signal($0) })
            answer = SendAnswer(row, error)
        }
        end.tally.count(answer.row)
        try OutputFile.standardOutput.write(options.json ? answer.json : Array(answer.text.utf8))
        if end.status == .unavailable {
            let cause = watch.lastFailure?.description ?? "no link came up within the timeout"
            throw CommandError(.unavailable, "\(watch.endpoint) could not be reached: \(cause)")
        }
        return end.status
    }
}
