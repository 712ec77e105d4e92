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

    @Option(
        help:
            "In place of a rate: a share of full load in percent. Full load is measured before each second, because the speed of a machine that others share changes, and at the end."
    )
    var share: Double?

    @Option(help: "Seconds to push for; half a second more before.")
    var seconds = 4.0

    @Option(
        help:
            "Microseconds between two wake-ups of the pacer; 0: it wakes for each push, which costs the client's core.")
    var step = 1_000

    @Flag(
        help: "In place of a connection: requests between two sessions in memory, which only the machine can delay.")
    var bare = false

    func validate() throws {
        guard (rate == nil) != (share == nil) else { throw ValidationError("Give --rate or --share.") }
        guard rate ?? 1 > 0, seconds > 0, (rate ?? 1e6) * seconds <= 1e8 else {
            throw ValidationError("--rate and --seconds are above 0, and make at most 100,000,000 pushes together.")
        }
        guard (0...200).contains(share ?? 0) else { throw ValidationError("--share is 0 to 200.") }
        guard (0...1_000_000).contains(step) else { throw ValidationError("--step is 0 to 1000000.") }
    }

    func run() async throws {
        let load = try await load(Work(work))
        let (result, usage, full) =
            if let share { try await run(load, share: share) } else { try await run(load, rate: rate ?? 1) }
        var values = usage.perPush(of: result.tally.accepted)
        values.merge(Percentiles(result.latencies).values) { one, _ in one }
        let lateness = Percentiles(result.lateness)
        values["late_p50_us"] = lateness.at(50)
        values["late_p99_us"] = lateness.at(99)
        // At a high load another program on the machine is enough to fill the queue: then some are refused.
        values["refused"] = Double(result.tally.failed)
        if let first = full.first, let last = full.last {
            values["full_per_s"] = full.reduce(0, +) / Double(full.count)
            values["speed_kept"] = last / first
        }
        try line.print("paced", values)
    }

    private func load(_ work: Work) async throws -> any PacedWork {
        let step = UInt64(step) * 1_000
        guard !bare else { return try BareLoop(work, step: step) }
        let runtime = PushRuntime(.init(logger: nil))
        try runtime.connect(name: "bench", config: server.config(self.work.apnsID.policy))
        try await runtime.connection(named: "bench").waitUntilUp()
        return PacedLoad(LoadTarget(runtime: runtime, name: "bench", work: work), step: step)
    }

    private typealias Measured = (result: PacedLoad.Result, usage: Usage, full: [Double])

    private func run(_ load: some PacedWork, rate: Double) async throws -> Measured {
        _ = try await load.run(perSecond: rate, seconds: Self.warmUp)
        let start = Usage()
        let result = try await load.run(perSecond: rate, seconds: seconds)
        return (result, start.sinceThen, [])
    }

    /// In parts of a second at most, each at the share of what full load is just before it.
    private func run(_ load: some PacedWork, share: Double) async throws -> Measured {
        let parts = max(1, Int(seconds.rounded(.up)))
        var measured: Measured = (PacedLoad.Result(), .none, [])
        var full = try await load.fullLoad(about: load.fullLoad(about: 10_000))
        let rate = { max(1, $0 * share / 100) }
        _ = try await load.run(perSecond: rate(full), seconds: Self.warmUp)
        for _ in 0..<parts {
            full = try await load.fullLoad(about: full)
            measured.full.append(full)
            let start = Usage()
            let result = try await load.run(perSecond: rate(full), seconds: seconds / Double(parts))
            measured.usage = measured.usage + start.sinceThen
            measured.result += result
        }
        measured.full.append(try await load.fullLoad(about: full))
        return measured
    }

    /// Seconds at the first rate that do not count.
    private static let warmUp = 0.5
}
