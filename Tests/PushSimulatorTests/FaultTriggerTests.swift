import Testing

@testable import PushSimulator

/// When a rule takes effect, and what is noted of it.
@Suite struct FaultTriggerTests {
    static let second: Int64 = 1_000_000_000

    /// A machine for the rules of a script, and the streams it reset: the fault that shows best.
    private struct Stage {
        let faults = Faults()
        var machines: [ProviderConnectionMachine] = []
        private var streams: [Int32] = []

        init(_ rules: [FaultRule], connections: Int = 1, seed: UInt64 = 1) throws {
            for rule in rules { faults.add(rule) }
            for number in 1...connections { try connect(number, seed: seed) }
        }

        mutating func connect(_ number: Int, seed: UInt64 = 1, now: Int64 = 0) throws {
            let certificate = ProviderCertificate(subjectUID: "com.example.app", environments: [.production])
            machines.append(
                ProviderConnectionMachine(
                    ConnectionID(number), .certificate(certificate), policy: try CheckHarness().policy,
                    orders: faults.current, seed: seed, now: now))
            streams.append(1)
        }

        /// Pushes so often on a connection; returns the numbers of the pushes that were reset.
        mutating func push(_ count: Int, on index: Int = 0, device: String = CheckHarness.token, now: Int64 = 0)
            -> [Int]
        {
            var reset: [Int] = []
            for _ in 0..<count {
                var actions: [ProviderConnectionMachine.Action] = []
                if let orders = faults.newer(than: machines[index].orders.version) { machines[index].follow(orders) }
                machines[index].push(
                    streams[index], Self.request(device), now: now, wallClock: 0, into: &actions, fire: faults.fire)
                if case .reset? = actions.last { reset.append(Int(streams[index] + 1) / 2) }
                streams[index] += 2
            }
            return reset
        }

        private static func request(_ device: String) -> PushRequest {
            var request = PushRequest()
            for (name, value) in [
                (":method", "POST"), (":path", "/3/device/" + device), ("apns-topic", "com.example.app"),
            ] {
                request.add(name: Octets(Array(name.utf8)), value: Octets(Array(value.utf8)))
            }
            request.bodyCount = 2
            return request
        }
    }

    private static let reset = Fault.resetStream(code: 2)

    @Test func thePushOfANumberOnItsConnection() throws {
        var stage = try Stage([FaultRule(.pushNumber(3), Self.reset)], connections: 2)
        #expect(stage.push(5, on: 0) == [3])
        #expect(stage.push(5, on: 1) == [3])
        #expect(stage.faults.firings.map(\.push) == [3, 3])
        #expect(stage.faults.firings.map(\.connection.number) == [1, 2])
        #expect(stage.faults.firings.map(\.stream) == [5, 5])
    }

    @Test func everySoManyPushes() throws {
        var stage = try Stage([FaultRule(.everyPush(3), Self.reset, times: 2)])
        #expect(stage.push(10) == [3, 6])
        #expect(stage.faults.rules.isEmpty)
    }

    @Test func thePushOfANumberOverAllConnections() throws {
        var stage = try Stage(
            [FaultRule(.overallPush(4), Self.reset, name: "fourth"), FaultRule(.everyOverallPush(5), Self.reset)],
            connections: 2)
        #expect(stage.push(3, on: 0).isEmpty)
        #expect(stage.push(3, on: 1) == [1, 2])
        #expect(stage.push(5, on: 0) == [7])
        #expect(stage.faults.count(named: "fourth") == 1)
        #expect(stage.faults.firings.map(\.name) == ["fourth", nil, nil])
    }

    @Test func pushesToSomeDevices() throws {
        var stage = try Stage([FaultRule(.pushTo("BB"), Self.reset)])
        #expect(stage.push(1).isEmpty)
        #expect(stage.push(1, device: "bb00") == [2])
    }

    @Test(arguments: [
        (ConnectionSelection.all, [1, 2, 3, 4]), (.nth(2), [2]), (.first(2), [1, 2]), (.after(3), [4]),
        (.every(2), [2, 4]), (.only(ConnectionID(1)), [1]),
    ])
    func someConnectionsOnly(_ selection: ConnectionSelection, _ hit: [Int]) throws {
        var stage = try Stage([FaultRule(.push, Self.reset, on: selection)], connections: 4)
        for index in 0..<4 { _ = stage.push(1, on: index) }
        #expect(stage.faults.firings.map(\.connection.number) == hit)
    }

    @Test func betweenTwoTimes() throws {
        var stage = try Stage([FaultRule(.push, Self.reset, between: .seconds(10)..<(.seconds(20)))])
        #expect(stage.push(1, now: 9 * Self.second).isEmpty)
        #expect(stage.push(2, now: 10 * Self.second) == [2, 3])
        #expect(stage.push(1, now: 20 * Self.second).isEmpty)
        #expect(stage.faults.firings.map(\.time) == [.seconds(10), .seconds(10)])
    }

    @Test func atATimeOnEveryConnectionThatIsOpen() throws {
        var stage = try Stage([
            FaultRule(.at(.seconds(5)), .goAway(GoAway(ending: .leftOpen)), name: "later"),
            FaultRule(.at(.seconds(5)), .ignorePings), FaultRule(.at(.seconds(2)), .stopReading, on: .nth(2)),
        ])
        #expect(stage.machines[0].nextDue == 5 * Self.second)
        var actions: [ProviderConnectionMachine.Action] = []
        stage.machines[0].wake(now: 5 * Self.second - 1, into: &actions, fire: stage.faults.fire)
        #expect(actions.isEmpty)
        stage.machines[0].wake(now: 5 * Self.second, open: 7, into: &actions, fire: stage.faults.fire)
        guard actions.count == 2, case .goAway = actions[0], case .ignorePings = actions[1] else {
            Issue.record("\(actions)")
            return
        }
        #expect(stage.machines[0].nextDue == nil)
        #expect(stage.faults.firings.map(\.openPushes) == [7, 7])
        #expect(stage.faults.firings.map(\.push) == [nil, nil])
        // Whoever connects later has missed it, and new orders do not bring it back.
        try stage.connect(3, now: 6 * Self.second)
        #expect(stage.machines[1].nextDue == nil)
        stage.machines[0].follow(stage.faults.current)
        #expect(stage.machines[0].nextDue == nil)
    }

    @Test func chanceIsTheSameForTheSameSeed() throws {
        let rules = [FaultRule(.push, Self.reset, probability: 0.3)]
        var stages = try [1, 1, 2].map { try Stage(rules, seed: $0) }
        let hits = stages.indices.map { stages[$0].push(1000) }
        #expect(hits[0] == hits[1])
        #expect(hits[0] != hits[2])
        #expect((240...360).contains(hits[0].count))
        #expect(stages[0].faults.firings.count == hits[0].count)
    }

    @Test func chanceDoesNotDependOnWhatOtherConnectionsDo() throws {
        let rules = [FaultRule(.push, Self.reset, probability: 0.5)]
        var alone = try Stage(rules, connections: 2)
        let expected = alone.push(50, on: 1)
        var together = try Stage(rules, connections: 2)
        var found: [Int] = []
        for _ in 0..<50 {
            _ = together.push(1, on: 0)
            found += together.push(1, on: 1)
        }
        #expect(found == expected)
    }

    @Test func aTimeIsNotTakenWhereChanceSaysNo() throws {
        var stage = try Stage([FaultRule(.push, Self.reset, times: 3, probability: 0.2)])
        #expect(stage.push(500).count == 3)
    }

    @Test func firingsAreBoundedAndStillCounted() throws {
        let faults = Faults()
        let id = faults.add(FaultRule(.push, .hold))
        let moment = FaultMoment(connection: ConnectionID(1), time: .zero)
        for _ in 0..<(Faults.mostFirings + 5) { #expect(faults.fire(id, moment)) }
        #expect(faults.firings.count == Faults.mostFirings)
        #expect(faults.count(of: id) == Faults.mostFirings + 5)
    }
}
