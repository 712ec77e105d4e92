import ArgumentParser
import SupervisedPush

/// `PushBench idle`: what a connection costs that is up and does nothing.
struct IdleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idle", abstract: "Hold many connections: resident memory for each.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var work: WorkOptions
    @OptionGroup var line: LineOptions

    @Option(help: "How many.")
    var connections = 1_000

    @Option(help: "Seconds to let them settle.")
    var settle = 3.0

    func run() async throws {
        let work = try Work(work)
        let runtime = PushRuntime(.init(logger: nil))
        let config = server.config(self.work.apnsID.policy).with { $0.liveness.connectTimeout = .seconds(60) }
        _ = try await Fleet(1, config, work, in: runtime)
        let before = ProcessStatus().residentKiB ?? 0
        let start = Usage()
        _ = try await Fleet(connections, config, work, in: runtime, from: 1)
        let dialling = start.values(of: connections)
        try await Task.sleep(for: .seconds(settle))
        let after = ProcessStatus().residentKiB ?? 0
        try line.print(
            "idle \(connections)",
            [
                "kib_per_connection": Double(after - before) / Double(connections),
                "dial_cpu_us": dialling["cpu_us"] ?? 0,
                "threads": Double(ProcessStatus().threads ?? 0),
            ])
    }
}
