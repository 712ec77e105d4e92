import ArgumentParser
import SupervisedPush

/// `PushBench queue`: what a queue adds to each push, in the worker's process.
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Push from a queue with one worker, and the same pushes without a queue, in turn.",
        discussion: "What puts entries in is not measured, and Redis is a process of its own.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var work: WorkOptions
    @OptionGroup var line: LineOptions

    @Option(help: "Where the queue is.")
    var store = QueueKind.memory

    @Option(help: "The command that starts the Redis server.")
    var redis = "redis-server"

    @Option(help: "Tokens that are pushed to and measured.")
    var tokens = 200_000

    @Option(help: "Tokens of an entry, 1 to 1,000.")
    var entry = 256

    @Option(help: "Tokens before them.")
    var warmUp = 20_000

    @Option(help: "Pushes in flight at a time.")
    var inFlight = 1_000

    @Option(help: "The most pushes a second that are possible, to say how close workers came.")
    var limit: Double?

    @Option(help: "Push with this many worker processes, and measure how many pushes a second they make together.")
    var workers: Int?

    @Flag(help: "Only from the queue, for a profile.")
    var alone = false

    func validate() throws {
        guard (1...1_000).contains(entry), tokens > 0 else {
            throw ValidationError("--entry is 1 to 1000, and --tokens at least 1.")
        }
        guard workers.map({ $0 > 0 && store != .memory }) ?? true else {
            throw ValidationError("--workers is at least 1, and processes do not share a queue in memory.")
        }
    }

    func run() async throws {
        if let workers { try await run(workers) } else { try await runOne() }
    }

    /// Throughput of worker processes.
    private func run(_ workers: Int) async throws {
        let work = try Work(work)
        let queue = try await BenchQueue(store, maxEntries: tokens + 1, redis: redis)
        defer { queue.end() }
        guard let location = queue.location else { return }
        let flags = server.flags + ["--in-flight", "\(inFlight)"]
        let fleet = try await WorkerFleet(workers, on: location, flags, in: queue.folder)
        defer { fleet.kill() }
        try await QueueLoad(store: queue.store, work: work, tokensPerEntry: entry).fill(tokens)
        let (seconds, outcomes) = try await fleet.watch(queue.store, tokens)
        var values = ["pushes_per_s": Double(outcomes) / max(seconds, 1e-9), "workers": Double(workers)]
        if let limit { values["of_limit"] = (values["pushes_per_s"] ?? 0) / limit }
        try line.print("workers", values)
    }

    /// Processor time of one worker.
    private func runOne() async throws {
        let work = try Work(work)
        let runtime = PushRuntime(.init(logger: nil))
        let config = server.config(.byServer).with { $0.limits.maxInFlight = inFlight }
        let connection = try runtime.connect(name: "bench", config: config)
        try await connection.waitUntilUp()
        let queue = try await BenchQueue(store, maxEntries: tokens + warmUp + 1, redis: redis)
        defer { queue.end() }
        let load = QueueLoad(store: queue.store, work: work, tokensPerEntry: entry)
        var position: String?
        if warmUp > 0 {
            if !alone { _ = try await BulkLoad.run(work, warmUp, over: connection) }
            try await load.fill(warmUp)
            _ = try await load.drain(warmUp, over: connection)
            position = try await load.readOutcomes(warmUp, after: nil).position
        }
        try await load.fill(tokens)
        var values = try await load.drain(tokens, over: connection)
        if !alone {
            let bulk = try await BulkLoad.run(work, tokens, over: connection)
            values["bulk_us"] = bulk["cpu_us"] ?? 0
            values["queue_us"] = (values["cpu_us"] ?? 0) - (bulk["cpu_us"] ?? 0)
            values["row_read_us"] = try await load.readOutcomes(tokens, after: position).cpu
        }
        await runtime.shutdown(within: .seconds(5))
        try line.print("queue", values)
    }
}
