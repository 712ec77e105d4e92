import ArgumentParser
import Dispatch
import SupervisedPush

/// `PushBench single`: how long one push takes that is alone.
struct SingleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "single", abstract: "Push one at a time: latencies.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var work: WorkOptions
    @OptionGroup var pool: PoolOptions
    @OptionGroup var line: LineOptions

    @Option(help: "The form of push: async or completion.")
    var form = PushForm.async

    @Option(help: "Pushes that are measured.")
    var pushes = 10_000

    @Option(help: "Pushes before them; a tenth as many when left out.")
    var warmUp: Int?

    func run() async throws {
        let work = try Work(work)
        let runtime = PushRuntime(.init(logger: nil))
        try await pool.connect("bench", server.config(self.work.apnsID.policy), in: runtime)
        let target = LoadTarget(runtime: runtime, name: "bench", work: work)
        _ = try await Self.latencies(form, warmUp ?? pushes / 10, target)
        let start = Usage()
        let latencies = try await Self.latencies(form, pushes, target)
        let values = start.values(of: pushes).merging(Percentiles(latencies).values) { one, _ in one }
        try line.print("single", values)
    }

    private static func latencies(_ form: PushForm, _ count: Int, _ target: LoadTarget) async throws -> [Double] {
        if form == .completion { return try await LatencyLoad(target).run(count) }
        var latencies: [Double] = []
        for number in 0..<count {
            let start = DispatchTime.now().uptimeNanoseconds
            _ = try await target.runtime.push(
                name: target.name, target.work.notification(number), to: target.work.token(number))
            latencies.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e3)
        }
        return latencies
    }
}
