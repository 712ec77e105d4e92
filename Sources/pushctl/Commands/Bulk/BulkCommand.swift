import ArgumentParser
import PushTerminal

/// `pushctl bulk`: one push per record, one outcome per record.
struct BulkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bulk",
        abstract: "Push to every device token of a file.",
        discussion: """
            INPUT is CSV with a header row (token, optionally topic, collapse_id, apns_id, expiration, priority, \
            push_type, payload) or NDJSON with the same names. Every record gets one outcome row. The timeout of a \
            push counts from its write, so an outage pauses a campaign and does not use up its time. \
            A signal (INT, TERM, HUP) ends the reading; pushes under way have --drain seconds. A second signal, \
            from one second after the first, ends the waiting: pushes in flight are unknown. With --journal, the same command again goes on where a run ended, \
            however it ended. See docs/bulk.md.
            """)

    @OptionGroup var options: BulkFlags

    func run() async throws {
        let status = try await BulkProgram(options).run()
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
