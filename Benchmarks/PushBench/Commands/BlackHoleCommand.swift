import ArgumentParser
import SupervisedPush

/// `PushBench black-hole`: latencies on one connection, before and while the bytes of another one vanish.
struct BlackHoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "black-hole", abstract: "Push on two connections, and let the bytes of one vanish.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var work: WorkOptions
    @OptionGroup var line: LineOptions

    @Option(help: "Pushes a second on each.")
    var rate = 5_000.0

    @Option(help: "Seconds before, and as many while.")
    var seconds = 8.0

    func run() async throws {
        let work = try Work(work)
        let relay = try Relay(to: server.port)
        relay.start()
        let runtime = PushRuntime(.init(logger: nil))
        // Its pushes time out while the other one is measured.
        let config = server.config(self.work.apnsID.policy).with { $0.timeout = .seconds(2) }
        try runtime.connect(name: "well", config: config)
        try runtime.connect(name: "lost", config: config.with { $0.port = relay.port })
        try await runtime.connection(named: "well").waitUntilUp()
        try await runtime.connection(named: "lost").waitUntilUp()
        let well = PacedLoad(LoadTarget(runtime: runtime, name: "well", work: work))
        let lost = PacedLoad(LoadTarget(runtime: runtime, name: "lost", work: work))
        _ = await both(well, lost, 1)
        let before = await both(well, lost, seconds)
        relay.swallow()
        let during = await both(well, lost, seconds)
        try (before.well.tally + during.well.tally + before.lost.tally).requireAllAccepted()
        let (early, late) = (Percentiles(before.well.latencies), Percentiles(during.well.latencies))
        try line.print(
            "black hole",
            [
                "p50_before_us": early.at(50), "p50_us": late.at(50), "p99_before_us": early.at(99),
                "p99_us": late.at(99), "p99_ratio": late.at(99) / early.at(99),
                "lost_failed": Double(during.lost.tally.failed),
            ])
    }

    private func both(_ well: PacedLoad, _ lost: PacedLoad, _ seconds: Double) async -> (
        well: PacedLoad.Result, lost: PacedLoad.Result
    ) {
        let rate = rate
        async let one = well.run(perSecond: rate, seconds: seconds)
        async let other = lost.run(perSecond: rate, seconds: seconds)
        return await (one, other)
    }
}
