import PushTesting
import Testing

/// Waiting for a connection.
@Suite(.timeLimit(.minutes(5))) struct WaitTests {
    private let gate = PushNotification.alert(title: "Gate", body: "B12")

    @Test("a test can wait until a push waits for a link, and end it by the clock")
    func aPushThatWaitsForALink() async throws {
        let time = ManualTime()
        try await withSimulatedAPNs(time: .manual(time)) { apple, runtime in
            apple.refuseConnections()
            let orders = try runtime.connect(name: "orders", config: apple.connectionConfig)
            let push = Task { try await orders.push(gate, to: .simulated()) }
            let status = try await orders.wait { $0.waiting == 1 }
            #expect(status.inFlight == 0)
            time.advance(by: .seconds(10))
            let error = await #expect(throws: PushError.self) { try await push.value }
            #expect(error?.certainty == .notSent)
        }
    }

    @Test func aCutOverSocketsIsWaitedFor() async throws {
        try await withSimulatedAPNs(over: .loopback, time: .manual) { apple, runtime in
            let orders = try runtime.connect(name: "orders", config: apple.connectionConfig)
            try await orders.wait(for: .up)
            apple.refuseConnections()
            await apple.cutConnections()
            try await orders.wait(for: .down)
            async let answer = orders.push(gate, to: .simulated())
            try await orders.wait { $0.waiting == 1 }
            apple.acceptConnections()
            #expect(try await answer.isAccepted)
            #expect(try await orders.wait(for: .up).generation == 2)
        }
    }

    @Test func aWaitInVainSaysWhatForAndHowThingsStood() async throws {
        try await withSimulatedAPNs(connecting: "orders") { _, runtime in
            let orders = try runtime.connection(named: "orders")
            try await orders.wait(for: .up)
            let line = #line + 1
            let wait = Task { try await orders.wait(within: .zero) { $0.waiting == 1 } }
            let error = await #expect(throws: TimeLimitExceeded.self) { try await wait.value }
            let text = try #require(error).description
            #expect(text.contains("what PushTestingTests/WaitTests.swift:\(line) waits for within 0.0 seconds"))
            #expect(text.contains("up generation 1, 0 in flight, 0 waiting"))
            let other = await #expect(throws: TimeLimitExceeded.self) {
                try await orders.wait(for: .suspended, within: .milliseconds(1))
            }
            #expect(other?.description.contains("did not come to the phase suspended within 0.001 seconds") == true)
        }
    }

    @Test func aCancelledWaitEnds() async throws {
        try await withSimulatedAPNs(connecting: "orders") { _, runtime in
            let orders = try runtime.connection(named: "orders")
            let wait = Task { try await orders.wait { $0.waiting == 1 } }
            wait.cancel()
            await #expect(throws: CancellationError.self) { try await wait.value }
        }
    }

    @Test func whatThePredicateThrowsIsThrown() async throws {
        struct Stop: Error {}
        try await withSimulatedAPNs(connecting: "orders") { _, runtime in
            let orders = try runtime.connection(named: "orders")
            await #expect(throws: Stop.self) { try await orders.wait { _ in throw Stop() } }
        }
    }
}
