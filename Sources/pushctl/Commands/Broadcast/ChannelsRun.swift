import ArgumentParser
import Logging
import PushCampaign
import PushTerminal
import SupervisedPush

/// One request about channels: it makes a connection, prints the answer, and exits with a code.
struct ChannelsRun {
    private let options: ChannelOptions

    init(_ options: ChannelOptions) { self.options = options }

    /// - Throws: The exit code, if it is not 0.
    func run(_ ask: @escaping @Sendable (BroadcastChannels) async throws -> ChannelReport) async throws {
        let say: @Sendable (LogLine) -> Void = { StandardError.write($0) }
        let connection = options.connection
        var config = try connection.managementConfig(StandardErrorLog.logger(isVerbose: connection.verbose, say))
        let runtime = PushRuntime(.init(logger: nil))
        let giveUp = GiveUp(runtime)
        let watch = LinkWatch(config, connection: connection, say: FirstLink.withoutLinks(say), giveUp: { giveUp() })
        config.watching.observer = FirstLink(endpoint: watch.endpoint, say: say, giveUp: { giveUp() })
        let channels: BroadcastChannels
        do { channels = try runtime.channels(config: config, owner: watch.mailbox) } catch {
            throw CommandError(error)
        }
        giveUp.connected()
        let run = CommandRun(runtime: runtime, watch: watch, drain: connection.drain.duration, say: say)
        let (result, signal) = await run(what: "request") {
            let result: Result<ChannelReport, any Error>
            do { result = .success(try await ask(channels)) } catch { result = .failure(error) }
            await channels.close(within: .zero)
            return result
        }
        let status = try report(result, watch: watch, signal: signal)
        if status != .success { throw ExitCode(status.rawValue) }
    }

    private func report(
        _ result: Result<ChannelReport, any Error>, watch: LinkWatch, signal: StopSignal?
    ) throws -> ExitStatus {
        var end = RunEnd()
        end.signal = signal
        end.linkEverUp = watch.wasEverUp
        end.attempted = 1
        let report: ChannelReport
        do { report = try result.get() } catch let error as ChannelError {
            let row = OutcomeRow(error, signal.map { _ in .stopped })
            end.credentialWasRefused =
                error.cause?.code == .credentialRefused || error.response?.refusesCredential == true
                || watch.refusedCredential
            if error.code == .limitReached || error.cause?.isInvalidInput == true { end.attempted = 0 }
            end.tally.count(row)
            let doubt = options.connection.clockDoubt(error.response?.reason)
            let sentence = watch.wasEverUp || signal != nil ? nil : error.cause.flatMap(FirstLink.sentence)
            report = ChannelReport(error, row.outcome, sentence: sentence, doubt: doubt)
            // Standard output is for what was asked for: `channel=$(pushctl channels create …)`.
            if !options.json {
                StandardError.write(String(report.text.dropLast()))
                if end.status == .unavailable { throw watch.unavailable() }
                return end.status
            }
        }
        let bytes = options.json ? report.json : Array(report.text.utf8)
        end.print { () throws(CommandError) in try OutputFile.standardOutput.write(bytes) }
        if end.status == .unavailable { throw watch.unavailable() }
        return end.status
    }
}

extension OutcomeRow {
    /// How a failed request ended.
    fileprivate init(_ error: ChannelError, _ ending: RunEnding?) {
        if let cause = error.cause, cause.certainty == error.certainty {
            self.init(.failure(cause), attempts: 0, ending: ending)
        } else if error.code == .refused, error.certainty == .answered, let response = error.response {
            self.init(.success(response), attempts: 0, ending: ending)
        } else {
            // Not sent, because the limit is reached or the list before a creation failed.
            let isAnswered = error.certainty == .answered
            self.init(
                PushOutcome(
                    isAnswered ? .unknown : .failed, certainty: isAnswered ? .answered : .notSent,
                    status: error.response?.status, reason: error.code.name))
        }
    }
}

extension ConnectionOptions {
    /// The configuration for the management of channels: its own host and port, unless flags set others.
    func managementConfig(_ logger: Logger) throws(CommandError) -> PushConnection.Configuration {
        var config = try config(logger)
        config.host = host ?? config.environment.managementHost
        config.port = managementPort ?? givenPort ?? config.environment.managementPort
        return config
    }
}
