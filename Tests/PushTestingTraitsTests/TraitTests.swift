import PushTestingTraits
import Testing

/// A simulator for each test, by a trait.
@Suite(.timeLimit(.minutes(5))) struct TraitTests {
    @Test(.simulatedAPNs(connecting: "orders")) func theGateIsAnnounced() async throws {
        _ = try await PushRuntime.current.push(name: "orders", .alert(title: "Gate", body: "B12"), to: .simulated())
        #expect(try SimulatedAPNs.current.pushes.first?.alertBody == "B12")
    }

    @Test(.simulatedAPNs) func withoutConnectionsTheTestConnects() async throws {
        let orders = try PushRuntime.current.connect(
            name: "orders", config: SimulatedAPNs.current.connectionConfig)
        #expect(try await orders.push(.alert(title: "Gate", body: "B12"), to: .simulated()).isAccepted)
    }

    @Test(.simulatedAPNs(connecting: "orders", time: .manual), arguments: 1...20)
    func eachCaseHasItsOwn(_ number: Int) async throws {
        let (apple, time) = (try SimulatedAPNs.current, try ManualTime.current)
        let start = time.now
        let orders = try PushRuntime.current.connection(named: "orders")
        for _ in 0..<number { _ = try await orders.push(.alert(title: "Gate", body: "B12"), to: .simulated()) }
        #expect(apple.pushes.count == number)
        time.advance(by: .seconds(number))
        #expect(start.duration(to: time.now) == .seconds(number))
    }

    @Test(.simulatedAPNs(configure: { $0.seed = 42 })) func theSimulatorIsConfigured() throws {
        #expect(try SimulatedAPNs.current.configuration.seed == 42)
    }

    @Test func withoutTheTraitThereIsNone() {
        let error = #expect(throws: NoSimulatedAPNs.self) { try SimulatedAPNs.current }
        #expect(error?.description.contains(".simulatedAPNs") == true)
    }
}

/// The trait of a suite holds for each of its tests.
@Suite(.timeLimit(.minutes(5)), .simulatedAPNs(connecting: "orders")) struct TraitOfASuiteTests {
    private let seen: [String]

    init() throws { seen = try SimulatedAPNs.current.pushes.map(\.deviceToken) }

    @Test(arguments: 0..<4) func eachTestHasItsOwn(_ number: UInt32) async throws {
        #expect(seen.isEmpty)
        _ = try await PushRuntime.current.push(
            name: "orders", .alert(title: "Gate", body: "B12"), to: .simulated(number: number))
        #expect(try SimulatedAPNs.current.pushes.map(\.deviceToken) == [DeviceToken.simulated(number: number).hex])
    }
}
