import ArgumentParser
import PushTerminal

/// `pushctl bench`: how much a server takes, and how fast it answers.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Load a server for a time, and print rate, outcomes and latencies.",
        discussion: """
            Examples:
              pushctl simulate -- pushctl bench --duration 5
              pushctl bench --profile staging --rate 2000 --connections 4
              pushctl bench --profile staging --tokens tokens.csv --payload payload.json --json

            The time begins when the connection is up. Ctrl-C ends it early, with the figures so far. A latency is the \
            time from the call to the answer, or with --rate from when the push was due. See docs/bench.md.
            """)

    @OptionGroup var options: BenchOptions

    func run() async throws {
        let status = try await Bench(options).run()
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
