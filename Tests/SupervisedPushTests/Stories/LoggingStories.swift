import Logging
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct LoggingStories {
    @Test("parity: P13 – a logger per connection, with its name, and without a secret")
    func aConnectionLogsWithItsNameAndNoSecret() async throws {
        let stage = try Rehearsal.inMemory()
        let lines = Locked<[String]>([])
        let logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
        let config = stage.config.with { $0.logger = logger }
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: config, owner: mailbox)
        let device = Samples.unregistered(7)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: device)
        stage.apple.cutConnections()
        _ = await mailbox.receive { if case .reconnecting = $0 { true } else { false } }
        let token = try #require(try stage.runtime.providerToken(name: "orders"))
        await stage.runtime.close(name: "orders", within: .zero)

        let log = lines.withLock { $0 }
        #expect(log.contains { $0.contains("connection up") && $0.contains("orders") })
        #expect(log.contains { $0.contains("reconnecting") && $0.contains("attempt") })
        let text = log.joined(separator: "\n")
        for secret in [token.jwt, stage.apple.credentials.signingKeyPEM, device.hex, "Boarding"] {
            #expect(!text.contains(secret))
        }
        await stage.end()
    }
}

/// Keeps each line as text.
private struct LineHandler: LogHandler {
    let lines: Locked<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        lines.withLock { $0.append("\(event.message) \(all)") }
    }
}
