import FoundationEssentials
import PushSimulator
import PushTerminal
import SupervisedPush

/// The demo's simulated APNs and its devices.
struct DemoApple: Sendable {
    static let topic = "com.example.demo"
    /// A device whose answer the server holds back.
    static let slowDevice = "510e" + String(repeating: "0", count: 60)

    private static let unregisteredPrefix = "dead"

    let server: SimulatedAPNs
    let port: Int
    /// One device of this many deleted the app, including a few of the first ones, for a short demo.
    private let unregisteredEach: Int

    init(pushes: Int) throws(CommandError) {
        unregisteredEach = min(25, max(5, pushes / 10))
        var configuration = SimulatedAPNs.Configuration()
        let threeDaysAgo = Date(timeIntervalSinceNow: -3 * 86_400)
        configuration.devices = DeviceRegistry(rules: [
            DeviceRule(.prefix(Self.unregisteredPrefix), .unregistered(since: threeDaysAgo))
        ])
        // Storing every apns-id would take memory that grows with the pushes.
        configuration.ledger = .counts
        do {
            configuration.credentials = try ThrowAwayCredentials(topic: Self.topic)
            server = try SimulatedAPNs(configuration)
            port = try server.start()
        } catch {
            throw CommandError(.unavailable, "the simulated APNs did not start: \(error.description)")
        }
        // Some pushes are always under way, so that some can be lost when the server is cut.
        server.delayAnswers(by: Latency(.milliseconds(2)...(.milliseconds(8))))
        server.faults.add(FaultRule(.pushTo(Self.slowDevice), .hold, times: 1))
    }

    func config(_ feedback: @escaping PushConnection.Configuration.FeedbackHandler) -> PushConnection.Configuration {
        let credentials = server.credentials
        return PushConnection.Configuration(
            host: "localhost", port: port,
            credential: .token(
                key: .pem(credentials.signingKeyPEM), keyID: credentials.keyID, teamID: credentials.teamID),
            trust: .pem(credentials.authorityPEM), defaults: .init(topic: Self.topic),
            feedback: feedback)
    }

    /// The device of a push, from 0.
    func device(_ number: Int) -> String {
        let prefix = number % unregisteredEach == unregisteredEach - 1 ? Self.unregisteredPrefix : "a11e"
        let digits = String(number, radix: 16)
        return prefix + String(repeating: "0", count: 60 - digits.count) + digits
    }
}
