import Foundation
import PushTesting
import Testing

/// How simulator and runtime begin and end.
@Suite(.timeLimit(.minutes(5))) struct LifeTests {
    private struct Trouble: Error {}
    private static let gate = PushNotification.alert(title: "Gate", body: "B12")

    @Test func aBodyThatThrowsEndsBothSides() async throws {
        nonisolated(unsafe) var seen: (apple: SimulatedAPNs, runtime: PushRuntime)?
        await #expect(throws: Trouble.self) {
            try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
                _ = try await runtime.push(name: "orders", Self.gate, to: .simulated())
                seen = (apple, runtime)
                throw Trouble()
            }
        }
        let (apple, runtime) = try #require(seen)
        #expect(await apple.ledger.wait { $0.openConnections == 0 })
        #expect(throws: ConnectError.self) { try runtime.connect(name: "again", config: apple.connectionConfig) }
    }

    @Test func whatTheBodyReturnsIsReturned() async throws {
        let status = try await withSimulatedAPNs(connecting: "orders") { _, runtime in
            try await runtime.push(name: "orders", Self.gate, to: .simulated()).status
        }
        #expect(status == 200)
    }

    @Test func testsSideBySideDoNotDisturbEachOther() async throws {
        let bodies = try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    try await withSimulatedAPNs(connecting: "orders", time: number % 2 == 0 ? .manual : .system) {
                        apple, runtime in
                        for _ in 0..<5 {
                            _ = try await runtime.push(
                                name: "orders", .alert(title: "Gate", body: "\(number)"), to: .simulated())
                        }
                        return (number, apple.pushes.map(\.alertBody))
                    }
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for number in 0..<20 { #expect(bodies[number] == Array(repeating: "\(number)", count: 5)) }
    }

    @Test func severalConnectionsAreMade() async throws {
        try await withSimulatedAPNs(connecting: "orders", "news") { apple, runtime in
            _ = try await runtime.push(name: "orders", Self.gate, to: .simulated())
            _ = try await runtime.push(name: "news", Self.gate, to: .simulated())
            #expect(Set(apple.pushes.map(\.connection)).count == 2)
        }
    }

    @Test(
        "parity: G11 – a test needs no transport of its own: memory, or sockets for any runtime",
        arguments: [SimulatedTime.system, .manual])
    func overLoopbackAnyRuntimeReachesTheSimulator(_ time: SimulatedTime) async throws {
        try await withSimulatedAPNs(connecting: "orders", over: .loopback, time: time) { apple, runtime in
            _ = try await runtime.push(name: "orders", Self.gate, to: .simulated())
            let other = PushRuntime()
            try other.connect(name: "orders", config: apple.connectionConfig)
            _ = try await other.push(name: "orders", Self.gate, to: .simulated())
            await other.shutdown(within: .seconds(5))
            #expect(apple.pushes.count == 2)
            #expect(apple.ledger.snapshot.handshakes == 2)
        }
    }

    @Test func aCertificateServesAsWellAsASigningKey() async throws {
        try await withSimulatedAPNs { apple, runtime in
            try runtime.connect(name: "orders", config: apple.certificateConfig)
            #expect(try await runtime.push(name: "orders", Self.gate, to: .simulated()).isAccepted)
            #expect(apple.pushes.first?.providerToken == nil)
        }
    }

    @Test func aSettingThatCannotBeIsSaidBeforeTheTestBegins() async throws {
        await #expect(throws: Trouble.self) {
            try await withSimulatedAPNs(configure: { _ in throw Trouble() }) { _, _ in Issue.record("it began") }
        }
    }
}
