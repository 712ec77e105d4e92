import ArgumentParser
import SupervisedPush

/// `PushBench push`: processor time, throughput, memory and threads under full load on one connection.
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Push as fast as one connection goes.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var work: WorkOptions
    @OptionGroup var line: LineOptions

    @Option(help: "The form of push.")
    var form = PushForm.completion

    @Option(help: "Pushes in flight at a time.")
    var inFlight = 1_000

    @Option(help: "Pushes that are measured.")
    var pushes = 300_000

    @Option(help: "Pushes before them.")
    var warmUp = 20_000

    @Option(help: "The most pushes a second that are possible, to say how close it came.")
    var limit: Double?

    func run() async throws {
        let work = try Work(work)
        let runtime = PushRuntime()
        let config = server.config(self.work.apnsID.policy).with { $0.maxInFlight = inFlight }
        try runtime.connect(name: "bench", config: config)
        try await runtime.waitUntilUp(name: "bench")
        _ = await form.run(warmUp, inFlight: inFlight, work, through: "bench", of: runtime)
        let threads = ThreadWatch()
        let start = Usage()
        let tally = await form.run(pushes, inFlight: inFlight, work, through: "bench", of: runtime)
        var values = start.values(of: pushes)
        try tally.requireAllAccepted()
        values["threads"] = Double(threads.end())
        values["peak_mib"] = Double(ProcessStatus().peakKiB ?? 0) / 1_024
        if let limit { values["of_limit"] = (values["pushes_per_s"] ?? 0) / limit }
        await runtime.shutdown(within: .seconds(5))
        try line.print("push", values)
    }
}
