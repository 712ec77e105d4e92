import PushTesting
import Testing

/// A service that forgets the devices that APNs reports, as one would write it.
private actor Devices {
    private(set) var registered: [DeviceToken: Date] = [:]

    func register(_ device: DeviceToken, at date: Date) { registered[device] = date }

    func prune(_ event: FeedbackEvent) {
        guard let since = registered[event.deviceToken], event.invalidates(registeredAt: since) else { return }
        registered[event.deviceToken] = nil
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
