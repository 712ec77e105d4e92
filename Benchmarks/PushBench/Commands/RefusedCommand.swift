import ArgumentParser
import PushLocking
import SupervisedPush

/// `PushBench refused`: what a push costs that a full queue refuses.
struct RefusedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refused", abstract: "Push into a full queue: what a refusal costs.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var work: WorkOptions
    @OptionGroup var line: LineOptions

    @Option(help: "Pushes that are refused.")
    var pushes = 200_000

    /// Pushes between two pauses of the caller, so that the refusals that wait for their completions stay few.
    private static let burst = 1_000

    func run() async throws {
        let work = try Work(work)
        // The server's answers vanish, so the queue stays full and the connection is idle.
        let relay = try Relay(to: server.port)
        relay.start()
        let runtime = PushRuntime(.init(logger: nil))
        let config = server.config(self.work.apnsID.policy, port: relay.port).with { $0.limits.maxWaiting = 1 }
        let connection = try runtime.connect(name: "bench", config: config)
        try await connection.waitUntilUp()
        relay.swallow()
        try await fill(connection, work)
        let target = LoadTarget(runtime: runtime, name: "bench", work: work)
        _ = await refuse(pushes / 10, target)
        let start = Usage()
        let tally = await refuse(pushes, target)
        try line.print("refused", start.values(of: tally.failed))
    }

    /// Pushes until the queue has been full for a while.
    private func fill(_ connection: PushConnection, _ work: Work) async throws {
        var refused = 0
        while refused < 50 {
            do throws(PushError) {
                try connection.send(work.notification(0), to: work.token(0))
                refused = 0
            } catch {
                refused += 1
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    private func refuse(_ count: Int, _ target: LoadTarget) async -> Tally {
        var tally = Tally()
        for start in stride(from: 0, to: count, by: Self.burst) {
            tally = tally + (await pushAll(start..<min(count, start + Self.burst), target))
        }
        return tally
    }

    /// Returns when all completions have been called.
    private func pushAll(_ numbers: Range<Int>, _ target: LoadTarget) async -> Tally {
        let state = Locked((tally: Tally(), open: numbers.count))
        await withCheckedContinuation { continuation in
            for number in numbers {
                target.push(number) { outcome in
                    let open = state.withLock { state in
                        state.tally.note(outcome)
                        state.open -= 1
                        return state.open
                    }
                    if open == 0 { continuation.resume() }
                }
            }
        }
        return state.withLock { $0.tally }
    }
}
