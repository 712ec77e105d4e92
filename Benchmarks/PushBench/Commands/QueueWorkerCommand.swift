import ArgumentParser
import Glibc
import PushQueue
import SupervisedPush

/// `PushBench queue-worker`: one worker of `PushBench queue --workers`, until it is killed.
struct QueueWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue-worker", abstract: "Work on a queue until killed.", shouldDisplay: false)

    @OptionGroup var server: ServerOptions

    @Option(help: "The queue: a file, or the URL of a Redis server.")
    var location: String

    @Option(help: "Pushes in flight at a time.")
    var inFlight: Int

    func run() async throws {
        let runtime = PushRuntime(.init(logger: nil))
        let config = server.config(.byServer).with { $0.limits.maxInFlight = inFlight }
        let connection = try runtime.connect(name: "bench", config: config)
        try await connection.waitUntilUp()
        let queue = try BenchQueue.open(location)
        print("up")
        fflush(nil)
        try await PushWorker(queue: queue, connection: connection).run()
    }
}
