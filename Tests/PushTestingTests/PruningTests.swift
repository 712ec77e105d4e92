import PushTesting
import Testing

/// A service that forgets the devices that APNs reports, as one would write it.
private actor Devices {
    private(set) var registered: [DeviceToken: Date] = [:]

    func register(_ device: DeviceToken, at date: Date) { registered[device] = date }

    func prune(_ event: FeedbackEvent) {
        if event.invalidates(registeredAt: registered[event.deviceToken]) { registered[event.deviceToken] = nil }
    }
}

@Suite(.timeLimit(.minutes(5))) struct PruningTests {
    @Test("parity: E13 – a device that was registered a moment ago and is gone is forgotten", arguments: [false, true])
    func aDeviceThatIsGoneIsForgotten(_ isManual: Bool) async throws {
        let devices = Devices()
        let (there, gone) = (DeviceToken.simulated(), DeviceToken.simulated(.unregistered))
        await devices.register(there, at: .now)
        await devices.register(gone, at: .now)
        try await withSimulatedAPNs(time: isManual ? .manual : .system) { apple, runtime in
            let log = FeedbackLog()
            try runtime.connect(
                name: "orders",
                config: apple.connectionConfig.with { $0.feedback = log.recording { await devices.prune($0) } })
            for device in [there, gone] {
                _ = try await runtime.push(name: "orders", .alert(title: "Gate", body: "B12"), to: device)
            }
            // The service has handled what the log has.
            let event = try #require(await log.next())
            #expect((event.deviceToken, event.reason) == (gone, .unregistered))
        }
        #expect(await Array(devices.registered.keys) == [there])
    }

    /// Pushes to all devices of a table, and returns which of them the handler left.
    private func pruned(_ table: [DeviceToken]) async throws -> Set<DeviceToken> {
        let devices = Devices()
        for device in table { await devices.register(device, at: Date(timeIntervalSince1970: 1_750_000_000)) }
        // Nothing times out on a clock that stands still.
        try await withSimulatedAPNs(time: .manual) { apple, runtime in
            let log = FeedbackLog()
            let orders = try runtime.connect(
                name: "orders",
                config: apple.connectionConfig.with {
                    $0.feedback = log.recording { await devices.prune($0) }
                    // The server writes answers without a body first. Of few at a time, the last hundred are mixed.
                    $0.limits.maxInFlight = 10
                })
            var (answered, rejected) = (0, 0)
            // The first alone: what it proves holds for the others.
            for batch in [Array(table.prefix(1)), Array(table.dropFirst())] {
                for try await outcome in orders.bulk(.alert(title: "Gate", body: "B12"), to: batch) {
                    answered += 1
                    if try outcome.result.get().reason == .badDeviceToken { rejected += 1 }
                }
            }
            #expect(answered == table.count)
            // Each was reported, and handled.
            for _ in 0..<rejected { _ = try #require(await log.next(timeout: .seconds(60))) }
        }
        return await Set(devices.registered.keys)
    }

    @Test("parity: F10 – the wrong environment empties no table, however small", arguments: [10, 40, 60, 300])
    func theWrongEnvironmentRemovesNoDevice(count: UInt32) async throws {
        let table = (0..<count).map { DeviceToken.simulated(.bad, number: $0) }
        #expect(try await pruned(table) == Set(table))
    }

    @Test(
        "parity: F10 – in an environment that is proven, the bad tokens go, and no others",
        arguments: [10, 40, 60, 300])
    func inTheRightEnvironmentTheBadTokensGo(count: UInt32) async throws {
        // Of more than 50 answers, more than half would be suspect again.
        let table = (0..<count).map { DeviceToken.simulated($0 % 3 == 2 ? .bad : .valid, number: $0) }
        #expect(try await pruned(table) == Set(table.filter { $0.hex.hasPrefix(SimulatedDevice.valid.rawValue) }))
    }

    @Test func aDeviceThatRegisteredAgainIsKept() async throws {
        let devices = Devices()
        let device = DeviceToken.simulated(.unregistered)
        await devices.register(device, at: .now)
        try await withSimulatedAPNs(
            configure: {
                $0.devices.set(.unregistered(since: Date(timeIntervalSince1970: 1_750_000_000)), for: device.hex)
            }
        ) { apple, runtime in
            let log = FeedbackLog()
            try runtime.connect(
                name: "orders",
                config: apple.connectionConfig.with { $0.feedback = log.recording { await devices.prune($0) } })
            _ = try await runtime.push(name: "orders", .alert(title: "Gate", body: "B12"), to: device)
            #expect(await log.next()?.invalidatedAt == Date(timeIntervalSince1970: 1_750_000_000))
        }
        #expect(await devices.registered.count == 1)
    }
}
