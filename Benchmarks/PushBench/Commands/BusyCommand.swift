import ArgumentParser
import Foundation
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
        let runtime = PushRuntime()
        let config = server.config(self.work.apnsID.policy).with {
            $0.connectTimeout = .seconds(60)
            $0.timeout = .seconds(60)
        }
        let fleet = try await Fleet(connections, config, work, in: runtime)
        let threads = ThreadWatch()
        let start = Usage()
        let (form, pushes, inFlight) = (form, pushes, inFlight)
        let tally = await withTaskGroup(of: Tally.self) { group in
            for name in fleet.names {
                group.addTask { await form.run(pushes, inFlight: inFlight, work, through: name, of: runtime) }
            }
            return await group.reduce(Tally(), +)
        }
        var values = start.values(of: pushes * connections)
        try tally.requireAllAccepted()
        let most = Double(threads.end())
        let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
        values["threads"] = most
        values["threads_above_cores"] = most - cores
        values["threads_above_twice_cores"] = most - 2 * cores
        try line.print("busy \(connections)", values)
    }
}
