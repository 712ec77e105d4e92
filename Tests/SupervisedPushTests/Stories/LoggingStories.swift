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
        let config = stage.config.with { $0.watching.logger = logger }
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: config, owner: mailbox)
        let device = Samples.unregistered(7)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: device)
        await stage.apple.cutConnections()
        _ = await mailbox.receive { if case .reconnecting = $0 { true } else { false } }
        let token = try #require(try stage.runtime.connection(named: "orders").providerToken())
        try await stage.runtime.close(name: "orders", within: .zero)

        let log = lines.withLock { $0 }
        #expect(log.contains { $0.contains("connection up") && $0.contains("orders") })
        #expect(log.contains { $0.contains("reconnecting") && $0.contains("attempt") })
        let text = log.joined(separator: "\n")
        for secret in [token.jwt, stage.apple.credentials.signingKeyPEM, device.hex, "Boarding"] {
            #expect(!text.contains(secret))
        }
        await stage.end()
    }

    @Test("parity: P13 – one logger for all connections of a runtime, and another one for one of them")
    func theRuntimesLoggerIsEveryConnectionsUnlessItHasItsOwn() async throws {
        let (all, own) = (Locked<[String]>([]), Locked<[String]>([]))
        let stage = try Rehearsal.inMemory(
            runtime: .init(logger: Logger(label: "all") { _ in LineHandler(lines: all) }))
        let logger = Logger(label: "own") { _ in LineHandler(lines: own) }
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        let news = try stage.runtime.connect(name: "news", config: stage.config.with { $0.watching.logger = logger })
        try await orders.waitUntilUp()
        try await news.waitUntilUp()
        await stage.end()
        #expect(all.withLock { $0.contains { $0.contains("connection up") && $0.contains("orders") } })
        #expect(all.withLock { !$0.contains { $0.contains("news") } })
        #expect(own.withLock { $0.contains { $0.contains("connection up") && $0.contains("news") } })
    }

    @Test("parity: P13 – without a network the first line names the cause, and so does the push that times out")
    func theFirstLineNamesWhyThereIsNoLink() async throws {
        let lines = Locked<[String]>([])
        var logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
        logger.logLevel = .info  // As most programs have it.
        let stage = try Rehearsal.inMemory(runtime: .init(logger: logger))
        stage.apple.refuseConnections()
        let owner = Mailbox<LifecycleMessage>()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config, owner: owner)
        #expect(await owner.receive(where: \.isReconnecting) != nil)
        let cause = try #require(orders.status.outage).cause.description
        // No time has passed.
        #expect(lines.withLock { $0.first?.contains(cause) } == true, "\(lines.withLock { $0 })")
        let patience = Duration.milliseconds(1)
        let push = Task {
            try await orders.push(Samples.flight, to: Samples.token(), options: .init(timeout: patience))
        }
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: patience))
        stage.time?.advance(by: patience)
        let error = await #expect(throws: PushError.self) { _ = try await push.value }
        #expect(error?.code == .timedOut && error?.description.contains(cause) == true)
        await stage.end()
    }

    @Test func aFeedbackHandlerThatThrowsIsLoggedWithItsConnectionAndProcess() async throws {
        struct Trouble: Error {}
        let lines = Locked<[String]>([])
        let stage = try Rehearsal.inMemory()
        let config = stage.config.with {
            $0.watching.logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
            $0.feedback = { _ in throw Trouble() }
        }
        let orders = try stage.runtime.connect(name: "orders", config: config)
        _ = try await orders.push(Samples.flight, to: Samples.unregistered())
        let pid = try #require(orders.pid)
        var line: String?
        await until {
            line = lines.withLock { $0.first { $0.contains("the feedback handler threw") } }
            return line != nil
        }
        for part in ["orders", "\(pid)", "Trouble"] { #expect(line?.contains(part) == true, "\(line as Any)") }
        await stage.end()
    }

    @Test func rejectionsAreLoggedByReasonOnceASecondAtMost() async throws {
        let lines = Locked<[String]>([])
        let stage = try Rehearsal.inMemory()
        let config = stage.config.with { $0.watching.logger = Logger(label: "test") { _ in LineHandler(lines: lines) } }
        let orders = try stage.runtime.connect(name: "orders", config: config)
        for number in 0..<10 { _ = try await orders.push(Samples.flight, to: Samples.unregistered(number)) }
        #expect(await orders.drain(within: .seconds(5)))
        await orders.close()
        let rejected = lines.withLock { $0.filter { $0.contains("pushes rejected") } }
        // The clock stands still: the first one has its line, the end of the connection sums up the rest.
        #expect(rejected.count == 2 && rejected[0].contains("Unregistered"), "\(rejected)")
        #expect(orders.status.counters.rejections == ["Unregistered": 10])
        let warnings = lines.withLock { $0.filter { $0.contains("APNs rejects most pushes") } }
        #expect(warnings.count == 1 && warnings.first?.contains("Unregistered") == true, "\(warnings)")
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
