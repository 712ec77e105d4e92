import Foundation
import PushTesting
import Testing

/// How often the outages are run: `scripts/article.sh` asks for 1,000.
private let outages = 0..<(ProcessInfo.processInfo.environment["ARTICLE_RUNS"].flatMap(Int.init) ?? 10)

/// The samples of the article "Testing with the simulator", as they stand there. `ArticleTests` compares them.
@Suite(.timeLimit(.minutes(5))) struct ArticleSamples {
    private let gate = PushNotification.alert(title: "Gate", body: "B12")

    private struct Order: Codable, Equatable {
        var order: Int
        var gate: String
    }

    /// What a reader might have to test.
    private struct GateService {
        let runtime: PushRuntime

        init(_ runtime: PushRuntime, _ config: PushConnection.Configuration) throws {
            self.runtime = runtime
            try runtime.connect(name: "gates", config: config)
        }

        func announce(_ gate: String, to device: DeviceToken) async throws {
            _ = try await runtime.push(name: "gates", .alert(title: "Gate", body: gate), to: device)
        }
    }

    private actor Devices {
        private(set) var registered: [DeviceToken: Date] = [:]

        func register(_ device: DeviceToken) { registered[device] = .now }

        func prune(_ event: FeedbackEvent) {
            if event.invalidates(registeredAt: registered[event.deviceToken]) { registered[event.deviceToken] = nil }
        }
    }

    @Test func theGateIsAnnounced() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            _ = try await runtime.push(name: "orders", .alert(title: "Flight A998", body: "Boarding"), to: .simulated())
            #expect(apple.pushes.first?.alertTitle == "Flight A998")
        }
    }

    @Test func aProgramThatConnectsByItself() async throws {
        try await withSimulatedAPNs { apple, runtime in
            let gates = try GateService(runtime, apple.connectionConfig)
            try await gates.announce("B12", to: .simulated())
            #expect(apple.pushes.map(\.alertBody) == ["B12"])
        }
    }

    @Test func whatWasPushed() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            let device = DeviceToken.simulated(number: 1)
            var notification = try PushNotification.alert(
                APS(alert: Alert(title: "Flight A998")), content: Order(order: 4711, gate: "B12"))
            notification.priority = .conserving
            notification.collapseID = try CollapseID("A998")
            _ = try await runtime.push(name: "orders", notification, to: device)
            let push = try #require(apple.pushes.first)
            #expect(push.deviceToken == device.hex)
            #expect(push.pushType == "alert")
            #expect(push.priority == "5")
            #expect(push.collapseID == "A998")
            #expect(push["aps", "alert", "title"] == "Flight A998")
            #expect(try push.decoded(as: Order.self) == Order(order: 4711, gate: "B12"))
        }
    }

    @Test func whatArrives() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            try runtime.send(name: "orders", .alert(title: "Gate", body: "B12"), to: .simulated())
            let pushes = try await apple.waitForPushes(1)
            #expect(pushes[0].alertBody == "B12")

            try runtime.send(name: "orders", gate, to: .simulated())
            for await push in apple.arrivingPushes.prefix(2) {
                #expect(push.alertTitle == "Gate")
            }
        }
    }

    @Test func devicesThatAreGone() async throws {
        try await withSimulatedAPNs { apple, runtime in
            let devices = Devices()
            await devices.register(.simulated(.unregistered))
            let log = FeedbackLog()
            try runtime.connect(
                name: "orders",
                config: apple.connectionConfig.with { $0.feedback = log.recording { await devices.prune($0) } })
            let answer = try await runtime.push(name: "orders", gate, to: .simulated(.unregistered))
            #expect(answer.reason == .unregistered)
            let event = try #require(await log.next(timeout: .seconds(30)))
            #expect(event.deviceToken == .simulated(.unregistered))
            #expect(await devices.registered.isEmpty)

            let device = DeviceToken.simulated()
            apple.devices.set(.unregistered(since: .now - 86_400), for: device.hex)
            #expect(try await runtime.push(name: "orders", gate, to: device).reason == .unregistered)
        }
    }

    @Test func faults() async throws {
        try await withSimulatedAPNs { apple, _ in
            apple.holdAnswers()
            await apple.cutConnections()
            apple.goAway()
            apple.refuseConnections()
            apple.faults.add(FaultRule(.pushNumber(2), .refuse(.serviceUnavailable)))
            #expect(apple.connectionCount == 0)
        }
    }

    @Test func aScript() async throws {
        let script = FaultScript(
            seed: 42,
            rules: [
                FaultRule(.pushNumber(3), .goAway(GoAway(reason: "Shutdown")), on: .nth(1), name: "maintenance"),
                FaultRule(.push, .refuse(.serviceUnavailable), probability: 0.5, name: "hiccup"),
            ])
        try await withSimulatedAPNs(connecting: "orders", configure: { $0.script = script }) { apple, runtime in
            for _ in 0..<10 { _ = try await runtime.push(name: "orders", gate, to: .simulated()) }
            #expect(apple.faults.count(named: "maintenance") == 1)
        }
    }

    @Test(arguments: outages) func anOutage(_ run: Int) async throws {
        try await withSimulatedAPNs(connecting: "orders", time: .manual) { apple, runtime in
            apple.refuseConnections()
            await apple.cutConnections()
            async let answer = runtime.push(name: "orders", gate, to: .simulated())
            apple.acceptConnections()
            let status = try await answer.status
            #expect(status == 200)
        }
    }

    @Test func aTimeout() async throws {
        let time = ManualTime()
        try await withSimulatedAPNs(connecting: "orders", time: .manual(time)) { apple, runtime in
            apple.holdAnswers()
            let push = Task { try await runtime.push(name: "orders", gate, to: .simulated()) }
            try await apple.waitForPushes(1)
            time.advance(by: .seconds(10))
            let error = await #expect(throws: PushError.self) { try await push.value }
            #expect(error?.code == .timedOut)
            #expect(error?.certainty == .unknown)
        }
    }

    @Test(arguments: outages) func aPushThatCannotBeSent(_ run: Int) async throws {
        let time = ManualTime()
        try await withSimulatedAPNs(connecting: "orders", time: .manual(time)) { apple, runtime in
            let orders = try runtime.connection(named: "orders")
            apple.refuseConnections()
            await apple.cutConnections()
            try await orders.wait(for: .down)
            let push = Task { try await orders.push(gate, to: .simulated()) }
            try await orders.wait { $0.waiting == 1 }
            time.advance(by: .seconds(10))
            let error = await #expect(throws: PushError.self) { try await push.value }
            #expect(error?.code == .timedOut)
            #expect(error?.certainty == .notSent)
            #expect(apple.pushes.isEmpty)
        }
    }

    @Test func withoutASimulator() async throws {
        let recorder = RecordingPushes()
        recorder.answerNext(.rejected(.unregistered))
        let answer = try await recorder.push(gate, to: .simulated(number: 7))
        #expect(answer.reason == .unregistered)
        #expect(recorder.pushes.map(\.deviceToken) == [.simulated(number: 7)])
    }

    @Test func otherPrograms() async throws {
        try await withSimulatedAPNs(over: .loopback) { apple, _ in
            let runtime = PushRuntime()
            try runtime.connect(name: "orders", config: apple.connectionConfig)
            #expect(try await runtime.push(name: "orders", gate, to: .simulated()).isAccepted)
            await runtime.shutdown(within: .seconds(5))
        }
    }
}
