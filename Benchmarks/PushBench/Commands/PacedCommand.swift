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
    var rate: Double?

    @Option(help: "In place of a rate: a share of full load in percent. Full load is measured before and after.")
    var share: Double?

    @Option(help: "Seconds to push for; half a second more before.")
    var seconds = 4.0

    @Option(
        help:
            "Microseconds between two wake-ups of the pacer; 0: it wakes for each push, which costs the client's core.")
    var step = 1_000

    func validate() throws {
        guard (rate == nil) != (share == nil) else { throw ValidationError("Give --rate or --share.") }
        guard rate ?? 1 > 0, seconds > 0, (rate ?? 1e6) * seconds <= 1e8 else {
            throw ValidationError("--rate and --seconds are above 0, and make at most 100,000,000 pushes together.")
        }
        guard (0...200).contains(share ?? 0) else { throw ValidationError("--share is 0 to 200.") }
        guard (0...1_000_000).contains(step) else { throw ValidationError("--step is 0 to 1000000.") }
    }

    func run() async throws {
        let work = try Work(work)
        let runtime = PushRuntime(.init(logger: nil))
        try runtime.connect(name: "bench", config: server.config(self.work.apnsID.policy))
        try await runtime.connection(named: "bench").waitUntilUp()
        let load = PacedLoad(LoadTarget(runtime: runtime, name: "bench", work: work), step: UInt64(step) * 1_000)
        let full = share == nil ? 0 : await fullLoad(of: load)
        let rate = rate ?? max(1, full * (share ?? 0) / 100)
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
        if full > 0 {
            values["full_per_s"] = full
            values["speed_kept"] = await fullLoad(of: load) / full
        }
        try line.print("paced", values)
    }

    /// Pushes a second for about a second.
    private func fullLoad(of load: PacedLoad) async -> Double {
        var perSecond = 10_000.0
        for _ in 0..<2 {
            let start = Usage()
            let tally = await load.runFull(Int(perSecond), inFlight: 1_000)
            perSecond = max(1, start.values(of: tally.accepted)["pushes_per_s"] ?? 1)
        }
        return perSecond
    }
}
