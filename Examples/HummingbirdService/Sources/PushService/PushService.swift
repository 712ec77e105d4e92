import Foundation
import Hummingbird
import Logging
import PushServiceLifecycle
import SupervisedPush

/// A service that keeps device tokens, pushes to them, and forgets those that APNs reports as gone.
@main
struct PushService {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        func required(_ name: String) throws -> String {
            guard let value = environment[name] else { throw MissingVariable(name: name) }
            return value
        }
        let devices = try DeviceStore(path: environment["DATABASE"] ?? "devices.sqlite")
        let config = PushConnection.Configuration(
            environment: environment["APNS_ENVIRONMENT"] == "development" ? .development : .production,
            credential: .token(key: .file(try required("APNS_KEY_FILE")), teamID: try required("APNS_TEAM_ID")),
            defaults: .init(topic: Topic(try required("APNS_TOPIC"))),
            feedback: { try await devices.prune($0) })

        let runtime = PushRuntime()
        let app = Application(
            router: routes(devices, try runtime.connect(name: "users", config: config)),
            configuration: .init(address: .hostname("0.0.0.0", port: environment["PORT"].flatMap(Int.init) ?? 8080)),
            // Ended in reverse order: the server stops first, then the runtime sends what waits.
            services: [runtime],
            logger: Logger(label: "push-service"))
        try await app.runService()
    }
}

struct MissingVariable: Error, CustomStringConvertible {
    let name: String
    var description: String { "The environment variable \(name) is missing: see README.md for all of them." }
}
