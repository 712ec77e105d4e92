import Foundation
import Logging
import OrdersQueue
import PushQueue
import PushQueueServiceLifecycle
import SupervisedPush

/// A worker: it pushes what is in the queue. Start as many as you like, and stop or kill any of them.
@main
struct QueueWorker {
    static func main() async throws {
        guard let file = ProcessInfo.processInfo.environment["PUSH_CONFIG"] else { throw MissingVariable() }
        let logger = Logger(label: "queue-worker")
        let runtime = PushRuntime(.init(logger: logger))
        let orders = try runtime.connect(name: "orders", config: PushConnection.Configuration(contentsOf: file))
        let worker = PushWorker(queue: try openQueue(), connection: orders)
        let group = ServiceGroup(
            // Ended in reverse order: the worker takes nothing more, waits for answers, stores them and gives back what was
            // not sent. Then the runtime ends.
            services: [runtime, worker],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger)
        try await group.run()
    }
}

struct MissingVariable: Error, CustomStringConvertible {
    var description: String { "The environment variable PUSH_CONFIG is missing: see README.md for all of them." }
}
