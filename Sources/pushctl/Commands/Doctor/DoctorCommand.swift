import ArgumentParser
import PushCampaign
import PushTerminal
import SupervisedPush

/// `pushctl doctor`: finds the layer between this machine and an accepted push that fails, and why.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out why pushes do not get through.",
        discussion: """
            Examples:
              pushctl doctor
              pushctl doctor --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ \\
                  --topic com.example.app
              pushctl doctor --profile orders --json
              pushctl simulate -- pushctl doctor
              pushctl doctor --queue pushes.db
              pushctl doctor --queue rediss://worker@redis.example --queue-password-file redis.password

            Walks through name resolution, TCP, proxy, TLS, ALPN, SETTINGS, clock, credential and topic to one dry \
            push, with a verdict for each, and explains the first that fails. The push goes to a device that cannot \
            exist (64 zeros), so nothing is delivered. Without a credential, it ends with SETTINGS. Exit codes: 0 all \
            is well, 66 no such queue, 69 no link, 77 credential refused, 78 a key, certificate or trust file can't be used, 1 the push \
            was rejected for another reason, 2 it had no answer.
            """)

    private enum Event {
        /// A layer is tried.
        case step(DoctorFacts)
        case walked
        case signal
    }

    @OptionGroup var options: DoctorOptions

    func run() async throws {
        let status: ExitStatus
        if let location = try options.location() {
            status = try await QueueDoctor(location, options).run()
        } else {
            status = try await examine()
        }
        if status != .success { throw ExitCode(status.rawValue) }
    }

    private func examine() async throws(CommandError) -> ExitStatus {
        let watch = Stopwatch()
        let (config, problem) = try configuration()
        let (events, happened) = AsyncStream<Event>.makeStream()
        let walk = try DoctorWalk(
            config, hasCredential: options.connection.namesCredential, credentialProblem: problem
        ) { happened.yield(.step($0)) }
        let drain = options.connection.drain
        let signals = SignalWatcher.forCommand(
            onFirst: { signal in
                happened.yield(.signal)
                let count = walk.isPushing ? 1 : 0
                if let line = StopNotice.line(signal, underWay: count, drain: drain.duration) {
                    StandardError.write(line)
                }
            },
            onInsisting: { Task { await walk.stop(within: .zero) } })
        let walking = Task {
            await walk.run()
            happened.yield(.walked)
        }
        var printer = DoctorPrinter(isJSON: options.json)
        events: for await event in events {
            switch event {
            case .step(let facts): try printer.show(facts)
            case .signal where walk.isPushing:
                // A push under way may still be answered; earlier steps are not waited for.
                await walk.stop(within: drain.duration)
                await walking.value
            case .walked, .signal: break events
            }
        }
        var facts = walk.facts
        facts.signal = signals.first
        facts.failsOnWarning = options.failOn == .warning
        return try printer.end(facts, watch.elapsed)
    }

    /// A password file that can't be read is a verdict; the layers before it are still checked.
    private func configuration() throws(CommandError) -> (PushConnection.Configuration, problem: String?) {
        let logger = StandardErrorLog.logger(isVerbose: options.connection.verbose) { StandardError.write($0) }
        guard options.connection.namesCredential else { return (try options.connection.anonymousConfig(logger), nil) }
        do {
            return (try options.connection.config(logger), nil)
        } catch  where error.status == .configuration && options.connection.passwordFile != nil {
            var connection = options.connection
            connection.passwordFile = nil
            return (try connection.config(logger), error.message)
        }
    }
}
