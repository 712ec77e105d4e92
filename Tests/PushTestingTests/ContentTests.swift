import PushTesting
import Testing

/// What a program said to its users: tests as those who use the package write them, with one import and nothing internal.
@Suite(.timeLimit(.minutes(5))) struct ContentTests {
    @Test("parity: F8 – a test asserts on a notification's content in three lines")
    func theGateIsAnnounced() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            _ = try await runtime.push(name: "orders", .alert(title: "Flight A998", body: "Boarding"), to: .simulated())
            #expect(apple.pushes.first?.alertTitle == "Flight A998")
        }
    }

    @Test func everythingThatWasSentCanBeAskedFor() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            let device = DeviceToken.simulated(number: 7)
            let answer = try await runtime.push(
                name: "orders", .alert(title: "Flight A998", body: "Boarding").collapsing("A998"),
                to: device)
            let push = try #require(apple.pushes.first)
            #expect(push.deviceToken == device.hex)
            #expect(push.apnsID == answer.apnsID?.description)
            #expect((push.pushType, push.topic, push.collapseID) == ("alert", "com.example.app", "A998"))
            #expect(push.json == ["aps": ["alert": ["title": "Flight A998", "body": "Boarding"]]])
            #expect(push["aps", "alert", "body"] == "Boarding")
            #expect(push["aps", "sound"] == nil)
            #expect(push.alertBody == "Boarding")
        }
    }

    /// The payload of the application under test.
    private struct Order: Codable, Equatable {
        var order: Int
        var gate: String
    }

    @Test func aPayloadIsReadAsTheTypeItWasMadeOf() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            let order = Order(order: 4711, gate: "B12")
            _ = try await runtime.push(
                name: "orders", .alert("Boarding", content: order), to: .simulated())
            #expect(try apple.pushes[0].decoded(as: Order.self) == order)
        }
    }

    @Test func whatIsSentAndForgottenIsWaitedFor() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            for number in 0..<3 {
                try runtime.send(
                    name: "orders", .alert(title: "Gate", body: "\(number)"), to: .simulated(number: UInt32(number)))
            }
            let pushes = try await apple.waitForPushes(3)
            #expect(pushes.map(\.alertBody) == ["0", "1", "2"])
        }
    }

    @Test func pushesAreReadAsTheyCome() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            async let bodies = apple.arrivingPushes.prefix(3).reduce(into: []) { $0.append($1.alertBody) }
            for number in 0..<3 {
                _ = try await runtime.push(name: "orders", .alert(title: "Gate", body: "\(number)"), to: .simulated())
            }
            #expect(await bodies == ["0", "1", "2"])
        }
    }

    @Test("a device token says how its push ends", arguments: SimulatedDevice.allCases)
    func aDeviceTokenSaysHowItsPushEnds(_ device: SimulatedDevice) async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            let answer = try await runtime.push(
                name: "orders", .alert(title: "Gate", body: "B12"), to: .simulated(device))
            let expected: RejectionReason? =
                switch device {
                case .valid: nil
                case .unregistered: .unregistered
                case .expired: .expiredToken
                case .bad: .badDeviceToken
                case .wrongTopic: .deviceTokenNotForTopic
                case .throttled: .tooManyRequests
                }
            #expect(answer.reason == expected)
            #expect(apple.pushes.count == (device == .valid ? 1 : 0))
            #expect(apple.ledger.records.count == 1)
        }
    }
}
