import ArgumentParser
import FoundationEssentials
import PushLocking
import SupervisedPush

/// `PushBench busy`: how many threads many connections need that all work.
struct BusyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "busy", abstract: "Push on many connections at a time: threads.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var work: WorkOptions
    @OptionGroup var line: LineOptions

    @Option(help: "The form of push.")
    var form = PushForm.completion

    @Option(help: "How many connections.")
    var connections = 10_000

    @Option(help: "Pushes in flight on each.")
    var inFlight = 2

    @Option(help: "Pushes on each.")
    var pushes = 20

    func run() async throws {
        let work = try Work(work)
        let runtime = PushRuntime(.init(logger: nil))
        let config = server.config(self.work.apnsID.policy).with {
            $0.liveness.connectTimeout = .seconds(60)
            $0.timeout = .seconds(60)
        }
        let fleet = try await Fleet(connections, config, work, in: runtime)
        let (tally, threads) = await form == .completion ? withoutTasks(fleet, work) : withTasks(fleet, work)
        try tally.requireAllAccepted()
        let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
        try line.print(
            "busy \(connections)",
            [
                "threads": threads, "threads_above_cores": threads - cores,
                "threads_above_twice_cores": threads - 2 * cores,
            ])
    }

    private func withTasks(_ fleet: Fleet, _ work: Work) async -> (Tally, Double) {
        let threads = ThreadWatch()
        let (form, pushes, inFlight) = (form, pushes, inFlight)
        let tally = await withTaskGroup(of: Tally.self) { group in
            for name in fleet.names {
                group.addTask { await form.run(pushes, inFlight: inFlight, work, through: name, of: fleet.runtime) }
            }
            return await group.reduce(Tally(), +)
        }
        return (tally, Double(threads.end()))
    }

    /// A program that pushes by completions needs no tasks. Those that brought the connections up ran on Swift's own threads,
    /// which end when they have had nothing to do for five seconds.
    private func withoutTasks(_ fleet: Fleet, _ work: Work) async -> (Tally, Double) {
        let (pushes, inFlight, names) = (pushes, inFlight, fleet.names)
        let watch = Locked(ThreadWatch?.none)
        let tally = await withCheckedContinuation { continuation in
            let sum = Locked((left: names.count, tally: Tally()))
            let threads = ThreadWatch(after: .seconds(8)) {
                for name in names {
                    let load = CompletionLoad(LoadTarget(runtime: fleet.runtime, name: name, work: work))
                    load.start(pushes, inFlight: inFlight) { tally in
                        let all = sum.withLock { sum in
                            sum.left -= 1
                            sum.tally = sum.tally + tally
                            return sum.left == 0 ? sum.tally : nil
                        }
                        if let all { continuation.resume(returning: all) }
                    }
                }
            }
            watch.withLock { $0 = threads }
        }
        return (tally, Double(watch.withLock { $0?.end() } ?? 0))
    }
}
