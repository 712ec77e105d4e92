import PushTesting
import Testing

/// Outages, which take no time.
@Suite(.timeLimit(.minutes(5))) struct OutageTests {
    private static let gate = PushNotification.alert(title: "Gate", body: "B12")

    @Test("parity: E1 – with a manual clock an outage and its pauses take milliseconds")
    func anOutageTakesNoTime() async throws {
        let time = ManualTime()
        try await withSimulatedAPNs(connecting: "orders", time: .manual(time)) { apple, runtime in
            _ = try await runtime.push(name: "orders", Self.gate, to: .simulated())
            let messages = Mailbox<LifecycleMessage>()
            try runtime.subscribe(name: "orders", messages)
            apple.refuseConnections()
            await apple.cutConnections()
            #expect(await messages.receive { if case .reconnecting = $0 { true } else { false } } != nil)
            let before = time.now
            async let answer = runtime.push(name: "orders", Self.gate, to: .simulated())
            #expect(time.now == before)
            apple.acceptConnections()
            #expect(try await answer.isAccepted)
            // The runtime has paused as ever, and nobody waited for it.
            #expect(before.duration(to: time.now) >= .milliseconds(500))
            #expect(apple.pushes.count == 2)
        }
    }

    @Test func aServerThatIsStoppedIsFoundAgain() async throws {
        try await withSimulatedAPNs(connecting: "orders", time: .manual) { apple, runtime in
            _ = try await runtime.push(name: "orders", Self.gate, to: .simulated())
            apple.stop()
            #expect(await apple.ledger.wait { $0.openConnections == 0 })
            async let answer = runtime.push(name: "orders", Self.gate, to: .simulated())
            try apple.start()
            #expect(try await answer.isAccepted)
        }
    }

    @Test func pausesGrowOnlyOnTheClock() async throws {
        let time = ManualTime()
        try await withSimulatedAPNs(
            time: .manual(time),
            configure: {
                $0.script = FaultScript(rules: [FaultRule(.connecting, .cut(.reset), times: 4, name: "down")])
            }
        ) { apple, runtime in
            let start = time.now
            try runtime.connect(name: "orders", config: apple.connectionConfig.with { $0.timeout = .seconds(600) })
            #expect(try await runtime.push(name: "orders", Self.gate, to: .simulated()).isAccepted)
            #expect(apple.faults.count(named: "down") == 4)
            // 1, 3, 7 and 10 s, each a little shorter by chance.
            #expect(start.duration(to: time.now) > .seconds(10))
        }
    }

    @Test("parity: E2 – the outcome of a push whose answer is lost is unknown, and the test says when its time is over")
    func aTimeoutComesWhenTheTestSaysSo() async throws {
        let time = ManualTime()
        try await withSimulatedAPNs(connecting: "orders", time: .manual(time)) { apple, runtime in
            apple.holdAnswers()
            let push = Task { try await runtime.push(name: "orders", Self.gate, to: .simulated()) }
            try await apple.waitForPushes(1)
            time.advance(by: .seconds(10))
            let error = await #expect(throws: PushError.self) { try await push.value }
            #expect((error?.code, error?.certainty) == (.timedOut, .unknown))
        }
    }

    @Test func aFaultIsOneLine() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            apple.faults.add(FaultRule(.pushNumber(2), .refuse(.serviceUnavailable)))
            let statuses = try await [
                runtime.push(name: "orders", Self.gate, to: .simulated()).status,
                runtime.push(name: "orders", Self.gate, to: .simulated()).status,
            ]
            #expect(statuses == [200, 503])
        }
    }
}
