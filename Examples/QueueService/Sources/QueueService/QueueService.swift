import Foundation
import Hummingbird
import Logging
import OrdersQueue

/// A service that puts pushes into a queue, in the request that asks for them. Workers push them.
@main
struct QueueService {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let app = Application(
            router: routes(try openQueue()),
            configuration: .init(address: .hostname("127.0.0.1", port: environment["PORT"].flatMap(Int.init) ?? 8080)),
            logger: Logger(label: "queue-service"))
        try await app.runService()
    }
}
