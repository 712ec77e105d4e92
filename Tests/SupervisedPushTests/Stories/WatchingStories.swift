import CoreMetrics
import Foundation
import Logging
import MetricsTestKit
import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// What a connection shows: record, status, metrics, observer.
@Suite(.timeLimit(.minutes(5))) struct WatchingStories {
    private func next(
        _ mailbox: Mailbox<LifecycleMessage>, where condition: @escaping @Sendable (LifecycleMessage) -> Bool
    ) async { _ = await mailbox.receive(where: condition) }

    private func push(_ numbers: Range<Int>, _ stage: Rehearsal, _ book: OutcomeBook) {
        for number in numbers {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
    }

    @Test("parity: F13 – the flight record tells the frames of a GOAWAY in their order")
    func theFlightRecordTellsAGoAway() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        let pid = try #require(try stage.runtime.connect(name: "orders", config: stage.config, owner: mailbox).pid)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.unregistered())
        stage.apple.goAway()
        await next(mailbox) { if case .connectionUp(_, _, 2) = $0 { true } else { false } }
        let record = try stage.runtime.connection(named: "orders").flightRecord()
        let events = record.entries.map { "\($0.link ?? 0) \($0.event)" }
        let expected = [
            "0 process_began", "1 dialing", "1 settings", "0 up", "1 traffic", "1 goaway", "0 draining",
            "2 dialing", "2 settings", "0 up",
        ]
        // The first answer brings further SETTINGS, and the old link is closed at some moment of the new one's set-up.
        var rest = events[...]
        for line in expected {
            let index = try #require(rest.firstIndex(of: line), "\(line) is missing: \(events)")
            rest = rest[(index + 1)...]
        }
        #expect(events.contains("1 closed"))
        #expect(record.entries.allSatisfy { $0.pid == pid && $0.age >= .zero })
        #expect(record.entries.contains { $0.event == "traffic" && $0.detail.hasSuffix("410=1") })
        #expect(record.entries.contains { $0.event == "goaway" && $0.detail.hasSuffix("code=NO_ERROR reason=none") })
        #expect(record.overwritten == 0 && record.name == "orders")
        #expect(try stage.runtime.connection(pid).flightRecord().entries.count >= record.entries.count)
        #expect(throws: LookupError.self) { try stage.runtime.connection(named: "nobody") }
        await stage.end()
    }

    @Test("parity: F13 – a process that fails dumps its record, which can still be read after the restart")
    func aFailedProcessDumpsItsRecord() async throws {
        let stage = try Rehearsal.inMemory()
        let log = CapturedLog()
        let mailbox = Mailbox<LifecycleMessage>()
        let config = stage.config.with { $0.watching.logger = log.logger(.info) }
        let pid = try #require(try stage.runtime.connect(name: "orders", config: config, owner: mailbox).pid)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token())
        stage.runtime.kill(pid)
        await next(mailbox) { if case .connectionUp(let new, _, 1) = $0 { new != pid } else { false } }

        let dump = try #require(log.lines.first { $0.hasPrefix("warning flight record") })
        for part in ["orders", "up generation=1", "written=1", "process_ended reason=killed"] {
            #expect(dump.contains(part), "\(part)")
        }
        let record = try stage.runtime.connection(named: "orders").flightRecord()
        let successor = stage.runtime.pid(of: "orders")
        #expect(record.entries.contains { $0.event == "process_ended" && $0.pid == pid })
        #expect(record.entries.last { $0.event == "up" }?.pid == successor)
        let status = try stage.runtime.connection(named: "orders").status
        #expect(status.counters.restarts == 1 && status.counters.accepted == 1 && status.pid == successor)
        await stage.end()
    }

    @Test func aLinkThatBreaksUnderPushesIsDumpedForDebugging() async throws {
        for (level, isDumped) in [("debug", true), ("info", false)] {
            let stage = try Rehearsal.inMemory()
            let log = CapturedLog()
            let config = stage.config.with { $0.watching.logger = log.logger(level == "debug" ? .debug : .info) }
            try stage.runtime.connect(name: "orders", config: config)
            _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token())
            stage.apple.holdAnswers()
            let book = OutcomeBook()
            push(0..<10, stage, book)
            #expect(await stage.apple.ledger.wait { $0.pushes == 11 })
            await stage.apple.cutConnections()
            await book.wait(for: 10)
            #expect(
                log.lines.contains { $0.hasPrefix("debug flight record") && $0.contains("layer=socket") } == isDumped)
            await stage.end()
        }
    }

    @Test("parity: P9 – the status counts every push once, and adds up to what both sides know")
    func theStatusCountsEveryPushOnce() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        let config = stage.config.with { $0.limits.maxInFlight = 40 }
        let pid = try #require(try stage.runtime.connect(name: "orders", config: config, owner: mailbox).pid)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.unregistered())
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        push(0..<100, stage, book)
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        var status = try stage.runtime.connection(pid).status
        try await until {
            status = try stage.runtime.connection(pid).status
            return status.inFlight >= 40 && status.waiting == 60 && status.openStreams == 40
        }
        #expect(status.phase == .up && status.generation == 1 && status.streamLimit == 40)
        #expect(status.lateStreams == 0 && status.drainingLinks == 0)
        #expect(status.waitingBytes == 60 * Samples.flight.payload.count)
        #expect(status.tokenAge == .zero)

        await stage.apple.cutConnections()
        await book.wait(for: 40)
        stage.apple.releaseAnswers()
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
        stage.time?.advance(by: .seconds(1))
        await book.wait(for: 100)
        #expect(try await stage.runtime.connection(named: "orders").drain(within: .seconds(5)))
        let counters = try stage.runtime.connection(named: "orders").status.counters
        #expect(counters.accepted == 60 && counters.rejected == 1 && counters.unknown == 40 && counters.ended == 101)
        #expect(counters.dials == 2 && counters.linksUp == 2 && counters.linksLost == 1 && counters.reconnects == 1)
        #expect(counters.notSent == 0 && counters.unprocessed == 0 && counters.timedOut == 0 && counters.goAways == 0)
        await stage.end()
    }

    @Test func goAwaysResendsAndRefusalsAreCounted() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(
            name: "orders", config: stage.config.with { $0.limits.maxWaiting = 1_000 }, owner: mailbox)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        push(0..<100, stage, book)
        #expect(await stage.apple.ledger.wait { $0.pushes == 101 })
        // Streams 3, 5 … 101 belong to the first fifty of the hundred.
        stage.apple.goAway(GoAway(lastStream: .exactly(101)))
        await next(mailbox) { if case .draining = $0 { true } else { false } }
        stage.apple.releaseAnswers()
        await book.wait(for: 100)
        #expect(try await stage.runtime.connection(named: "orders").drain(within: .seconds(5)))
        let counters = try stage.runtime.connection(named: "orders").status.counters
        #expect(counters.accepted == 101 && counters.resent == 50 && counters.goAways == 1 && counters.resets == 50)
        await stage.end()
    }

    @Test func pushesThatNoProcessEverHeldAreCountedToo() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        try stage.runtime.connect(name: "orders", config: stage.config.with { $0.limits.maxWaiting = 5 })
        let book = OutcomeBook()
        push(0..<8, stage, book)
        await book.wait(for: 3)
        #expect(try stage.runtime.connection(named: "orders").status.counters.overloaded == 3)
        await stage.end()
    }

    @Test("parity: F19 – the supervision tree, live")
    func theSupervisionTreeShowsEveryConnection() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        let anonymous = try #require(try stage.runtime.connect(config: stage.config).pid)
        try await stage.runtime.connection(named: "orders").waitUntilUp()
        try await stage.runtime.connection(anonymous).waitUntilUp()
        let tree = stage.runtime.supervisionTree
        #expect(tree.children.map(\.id) == ["connection:orders#1", "anonymous#2"])
        #expect(tree.children.allSatisfy { $0.state == "running" && $0.recentRestarts == 0 })
        #expect(tree.children.map(\.status.pid) == [stage.runtime.pid(of: "orders"), anonymous])
        #expect(tree.description.contains("├─ running orders <") && tree.description.contains("└─ running anonymous <"))
        try await stage.runtime.close(name: "orders")
        // A later connection of that name is another one.
        try stage.runtime.connect(name: "orders", config: stage.config)
        #expect(stage.runtime.supervisionTree.children.map(\.id) == ["anonymous#2", "connection:orders#3"])
        await stage.end()
    }

    @Test("parity: R6 – an observer hears the socket's errors and everything else, in order")
    func anObserverHearsEverythingInOrder() async throws {
        let stage = try Rehearsal.inMemory()
        let observer = RecordingObserver()
        let config = stage.config.with { $0.watching.observer = observer }
        try stage.runtime.connect(name: "orders", config: config)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token())
        await stage.apple.cutConnections()
        let facts = await observer.facts(through: "reconnecting")
        #expect(facts.prefix(4) == ["started 0", "dialed 1", "settings 1: 1", "up 1"])
        #expect(facts.suffix(2) == ["lost 1: socket", "reconnecting 1: socket"])
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
        stage.time?.advance(by: .seconds(1))
        #expect(await observer.facts(through: "up").first == "dialed 2")
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token())
        stage.apple.goAway()
        #expect(await observer.facts(through: "dialed").suffix(3) == ["goaway 2: 1 none", "draining 2", "dialed 3"])
        try await stage.runtime.close(name: "orders")
        #expect(await observer.facts(through: "ended").last == "ended normal")
        await stage.end()
    }

    @Test func anObserverHearsWhenTheProviderTokenChanges() async throws {
        let stage = try Rehearsal.inMemory()
        let observer = RecordingObserver()
        try stage.runtime.connect(name: "orders", config: stage.config.with { $0.watching.observer = observer })
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token())
        #expect(await observer.facts(through: "token").last == "token 1")
        stage.time?.advance(by: .seconds(51 * 60))
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(1))
        #expect(await observer.facts(through: "token").last == "token 2")
        let record = try stage.runtime.connection(named: "orders").flightRecord()
        #expect(record.entries.filter { $0.event == "token" }.map(\.detail) == ["number=1", "number=2"])
        await stage.end()
    }

    @Test("parity: R6, E16 – an observer hears of an attempt that took too long, and of a refused one")
    func anObserverHearsOfFailedAttempts() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        let observer = RecordingObserver()
        try stage.runtime.connect(name: "orders", config: stage.config.with { $0.watching.observer = observer })
        let deadline = stage.runtime.now.advanced(by: .seconds(15))
        await stage.time?.waitUntilArmed(by: deadline)
        stage.time?.advance(by: .seconds(15))
        let facts = await observer.facts(through: "reconnecting")
        #expect(facts == ["started 0", "dialed 1", "abandoned 1", "reconnecting 1: connect"])
        stage.apple.refuseConnections()
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
        stage.time?.advance(by: .seconds(1))
        // In memory a refusal is a reset.
        let refused = await observer.facts(through: "reconnecting")
        #expect(refused == ["dialed 2", "lost 2: socket", "reconnecting 2: socket"])
        #expect(try stage.runtime.connection(named: "orders").status.counters.linksUp == 0)
        await stage.end()
    }

    @Test("parity: P9 – metrics: labels are names and words, values add up")
    func metricsAddUp() async throws {
        let stage = try Rehearsal.inMemory()
        let metrics = TestMetrics()
        try stage.runtime.connect(name: "orders", config: stage.config.with { $0.watching.metrics = .factory(metrics) })
        let book = OutcomeBook()
        push(0..<500, stage, book)
        await book.wait(for: 500)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.unregistered())
        try await stage.runtime.close(name: "orders")
        func total(_ label: String, _ key: String, _ value: String) throws -> Int64 {
            try metrics.expectCounter(label, [("connection", "orders"), (key, value)]).totalValue
        }
        func outcomes(_ outcome: String, _ reason: String = "none") throws -> TestCounter {
            try metrics.expectCounter(
                "supervised_push_outcomes_total",
                [("connection", "orders"), ("outcome", outcome), ("reason", reason)])
        }
        #expect(try outcomes("rejected", "Unregistered").totalValue == 1)
        #expect(try outcomes("unknown").totalValue == 0)
        #expect(try total("supervised_push_events_total", "event", "link_up") == 1)
        let accepted = try outcomes("accepted")
        #expect(accepted.totalValue == 500)
        // Once a burst, not once a push.
        #expect(accepted.values.count < 250)
        #expect(try metrics.expectGauge("supervised_push_up", [("connection", "orders")]).values.contains(1))
        #expect(try metrics.expectGauge("supervised_push_in_flight", [("connection", "orders")]).lastValue == 0)
        #expect(try !metrics.expectTimer("supervised_push_duration_seconds", [("connection", "orders")]).values.isEmpty)
        await stage.end()
    }

    @Test("parity: P9 – a late answer and a refused credential are counted")
    func lateAnswersAndSuspensionsAreCounted() async throws {
        let stage = try Rehearsal.inMemory()
        let (metrics, owner) = (TestMetrics(), Mailbox<LifecycleMessage>())
        func event(_ name: String) throws -> Int64 {
            let labels = [("connection", "orders"), ("event", name)]
            return try metrics.expectCounter("supervised_push_events_total", labels).totalValue
        }
        let orders = try stage.runtime.connect(
            name: "orders", config: stage.config.with { $0.watching.metrics = .factory(metrics) }, owner: owner)
        stage.apple.holdAnswers()
        let push = Task { try await orders.push(Samples.flight, to: Samples.token()) }
        #expect(await stage.apple.ledger.wait { $0.pushes == 1 })
        stage.time?.advance(by: .seconds(10))
        await #expect(throws: PushError.self) { try await push.value }
        stage.apple.releaseAnswers()
        _ = await owner.receive { if case .lateResponse = $0 { true } else { false } }
        try await until { try event("late_answer") != 0 }
        #expect(try event("late_answer") == 1)
        #expect(orders.status.counters.lateAnswers == 1 && orders.status.counters.timedOut == 1)

        let wrong = try ThrowAwayCredentials()
        try await orders.replaceCredential(
            with: .token(key: .pem(wrong.signingKeyPEM), keyID: wrong.keyID, teamID: wrong.teamID))
        while orders.status.refusal == nil { _ = try? await orders.push(Samples.flight, to: Samples.token()) }
        _ = await owner.receive { if case .suspended = $0 { true } else { false } }
        try await until { try event("suspended") != 0 }
        #expect(try event("suspended") == 1)
        #expect(orders.status.counters.suspensions == 1)
        await stage.end()
    }

    @Test("parity: P9 – what a drained connection says counts every push", arguments: [1, 2])
    func aDrainedConnectionHasCountedAll(connections: Int) async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(
            name: "orders", size: connections, config: stage.patientConfig)
        for round in 1...200 {
            for number in 0..<5 { try orders.send(Samples.flight, to: Samples.token(number)) }
            #expect(await orders.drain(within: .seconds(60)))
            let status = orders.status
            #expect(status.counters.accepted == 5 * round && status.inFlight == 0)
        }
        await stage.end()
    }

    @Test func theGaugesOfAPoolAreThoseOfAllItsConnections() async throws {
        let stage = try Rehearsal.inMemory()
        let metrics = TestMetrics()
        let owner = Mailbox<LifecycleMessage>()
        let bulk = try stage.runtime.connect(
            name: "bulk", size: 3, config: stage.config.with { $0.watching.metrics = .factory(metrics) }, owner: owner)
        for _ in 0..<3 { _ = await owner.receive { if case .connectionUp = $0 { true } else { false } } }
        func gauge(_ name: String) throws -> Double? {
            try metrics.expectGauge("supervised_push_\(name)", [("connection", "bulk")]).lastValue
        }
        let limit = Double(bulk.members[0].status.streamLimit)
        try await until { try gauge("stream_limit") == 3 * limit }
        #expect(try gauge("up") == 1)
        try bulk.resize(to: 1...1)
        try await until { try gauge("stream_limit") == limit }
        #expect(try gauge("up") == 1, "the pool is up with one connection")
        await bulk.close()
        #expect(try gauge("up") == 0 && gauge("stream_limit") == 0)
        await stage.end()
    }

    @Test func anonymousConnectionsShareALabelAndHaveNoGauges() async throws {
        let stage = try Rehearsal.inMemory()
        let metrics = TestMetrics()
        let pid = try #require(
            try stage.runtime.connect(config: stage.config.with { $0.watching.metrics = .factory(metrics) }).pid)
        _ = try await stage.runtime.push(pid, Samples.flight, to: Samples.token())
        try await stage.runtime.connection(pid).close()
        #expect(
            try metrics.expectCounter(
                "supervised_push_outcomes_total",
                [("connection", "anonymous"), ("outcome", "accepted"), ("reason", "none")]
            ).totalValue == 1)
        #expect(metrics.recorders.isEmpty)
        await stage.end()
    }

    @Test("no record, status, log, metric or fact shows a key, a token or a payload")
    func nothingThatIsSeenShowsASecret() async throws {
        let stage = try Rehearsal.inMemory()
        let log = CapturedLog()
        let metrics = TestMetrics()
        let observer = RecordingObserver()
        let mailbox = Mailbox<LifecycleMessage>()
        let config = stage.config.with {
            $0.watching.logger = log.logger()
            $0.watching.metrics = .factory(metrics)
            $0.watching.observer = observer
        }
        let pid = try #require(try stage.runtime.connect(name: "orders", config: config, owner: mailbox).pid)
        let (device, held) = (Samples.unregistered(7), Samples.token(8))
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: device)
        stage.apple.holdAnswers()
        try stage.runtime.send(name: "orders", Samples.flight, to: held)
        #expect(await stage.apple.ledger.wait { $0.pushes == 2 })
        await stage.apple.cutConnections()
        await next(mailbox) { if case .reconnecting = $0 { true } else { false } }
        let token = try #require(try stage.runtime.connection(named: "orders").providerToken())
        stage.runtime.kill(pid)
        await next(mailbox) { if case .down(pid, _) = $0 { true } else { false } }
        await until { stage.runtime.pid(of: "orders") != pid }

        let record = try stage.runtime.connection(named: "orders").flightRecord()
        let encoder = JSONEncoder()
        var text = log.lines + [record.description]
        text.append(String(decoding: try encoder.encode(record), as: UTF8.self))
        text.append(String(decoding: try encoder.encode(stage.runtime.supervisionTree), as: UTF8.self))
        text.append("\(stage.runtime.supervisionTree)")
        text += await observer.facts(through: "ended killed")
        for metric in metrics.counters { text.append("\(metric.label) \(metric.dimensions)") }
        for metric in metrics.recorders { text.append("\(metric.label) \(metric.dimensions)") }
        for metric in metrics.timers { text.append("\(metric.label) \(metric.dimensions)") }
        let all = text.joined(separator: "\n")
        #expect(
            all.contains("process_ended") && all.contains("supervised_push_outcomes_total")
                && all.contains("tokenAgeSeconds"))
        let key = stage.apple.credentials.signingKeyPEM.split(separator: "\n").dropFirst().first.map(String.init)
        for secret in [token.jwt, try #require(key), device.hex, held.hex, "Boarding", "Flight A998"] {
            #expect(!all.contains(secret))
        }
        await stage.end()
    }
}
