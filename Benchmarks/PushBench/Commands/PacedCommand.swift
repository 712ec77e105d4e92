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

    @Option(
        help:
            "Microseconds between two wake-ups of the pacer; 0: it wakes for each push, which costs the client's core.")
    var step = 1_000

    func validate() throws {
        guard rate > 0, seconds > 0, rate * seconds <= 1e8 else {
            throw ValidationError("--rate and --seconds are above 0, and make at most 100,000,000 pushes together.")
        }
        guard (0...1_000_000).contains(step) else { throw ValidationError("--step is 0 to 1000000.") }
    }

    func run() async throws {
        let work = try Work(work)
        let runtime = PushRuntime(.init(logger: nil))
        try runtime.connect(name: "bench", config: server.config(self.work.apnsID.policy))
        try await runtime.connection(named: "bench").waitUntilUp()
        let load = PacedLoad(LoadTarget(runtime: runtime, name: "bench", work: work), step: UInt64(step) * 1_000)
        _ = await load.run(perSecond: rate, seconds: 0.5)
        let start = Usage()
        let result = await load.run(perSecond: rate, seconds: seconds)
        var values = start.values(of: result.tally.accepted)
        values.merge(Percentiles(result.latencies).values) { one, _ in one }
        let lateness = Percentiles(result.lateness)
        values["late_p50_us"] = lateness.at(50)
        values["late_p99_us"] = lateness.at(99)
        // At a high load another program on the machine is enough to fill the queue: then some are refused.
        values["refused"] = Double(result.tally.failed)
        try line.print("paced", values)
    }
}
