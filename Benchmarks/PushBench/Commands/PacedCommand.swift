import ArgumentParser
import SupervisedPush

/// `PushBench paced`: latencies at a load below the most.
struct PacedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "paced", abstract: "Push at a rate: latencies, from when each push was due.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var work: WorkOptions
    @OptionGroup var line: LineOptions

    @Option(help: "Pushes a second.")
    var rate: Double

    @Option(help: "Seconds to push for; half a second more before.")
    var seconds = 4.0

    func run() async throws {
        let work = try Work(work)
        let runtime = PushRuntime(.init(logger: nil))
        try runtime.connect(name: "bench", config: server.config(self.work.apnsID.policy))
        try await runtime.connection(named: "bench").waitUntilUp()
        let load = PacedLoad(LoadTarget(runtime: runtime, name: "bench", work: work))
        _ = await load.run(perSecond: rate, seconds: 0.5)
        let start = Usage()
        let (latencies, tally) = await load.run(perSecond: rate, seconds: seconds)
        // At nine tenths of the most another program on the machine is enough to fill the queue: then some are refused.
        var values = start.values(of: tally.accepted).merging(Percentiles(latencies).values) { one, _ in one }
        values["refused"] = Double(tally.failed)
        try line.print("paced", values)
    }
}
