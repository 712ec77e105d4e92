import ArgumentParser
import SupervisedPush

/// `PushBench push`: processor time, throughput, memory and threads under full load on one connection or a pool.
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Push as fast as one connection goes, or a pool.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var work: WorkOptions
    @OptionGroup var pool: PoolOptions
    @OptionGroup var line: LineOptions

    @Option(help: "The form of push.")
    var form = PushForm.completion

    @Option(help: "Pushes in flight at a time; of a pool, on all its connections together.")
    var inFlight = 1_000

    @Option(help: "Pushes that are measured.")
    var pushes = 300_000

    @Option(help: "Pushes before them.")
    var warmUp = 20_000

    @Option(help: "The most pushes a second that are possible, to say how close it came.")
    var limit: Double?

    func run() async throws {
        let work = try Work(work)
        let runtime = PushRuntime(.init(logger: nil))
        let config = server.config(self.work.apnsID.policy).with { $0.limits.maxInFlight = inFlight }
        try await pool.connect("bench", config, in: runtime)
        _ = await form.run(warmUp, inFlight: inFlight, work, through: "bench", of: runtime)
        let spread = try Spread("bench", of: runtime)
        let threads = ThreadWatch()
        let start = Usage()
        let tally = await form.run(pushes, inFlight: inFlight, work, through: "bench", of: runtime)
        var values = start.values(of: pushes)
        try tally.requireAllAccepted()
        values["threads"] = Double(threads.end())
        values["peak_mib"] = Double(ProcessStatus().peakKiB ?? 0) / 1_024
        if pool.pool != nil { values.merge(try spread.values()) { one, _ in one } }
        if let limit { values["of_limit"] = (values["pushes_per_s"] ?? 0) / limit }
        await runtime.shutdown(within: .seconds(5))
        try line.print("push", values)
    }
}
