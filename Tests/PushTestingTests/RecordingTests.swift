import PushTesting
import Testing

/// The fake.
@Suite(.timeLimit(.minutes(5))) struct RecordingTests {
    private let gate = PushNotification.alert(title: "Gate", body: "B12")

    /// What a reader might have to test.
    private struct Announcer {
        let push: any PushSending

        func announce(_ gate: String, to device: DeviceToken) async throws -> String {
            let answer = try await push.push(
                .alert(title: "Gate", body: gate), to: device, context: gate, options: PushOptions(timeout: .seconds(3))
            )
            return answer.isAccepted ? "told" : "\(answer.reason?.rawValue ?? "none")"
        }
    }

    @Test func pushesAreRecordedWithTokenOptionsAndContext() async throws {
        let recorder = RecordingPushes()
        #expect(try await Announcer(push: recorder).announce("B12", to: .simulated(number: 7)) == "told")
        let push = try #require(recorder.pushes.first)
        #expect(recorder.pushes.count == 1)
        #expect(push.deviceToken == .simulated(number: 7))
        #expect(push.notification == gate)
        #expect(push.options.timeout == .seconds(3))
        #expect(push.push.context as? String == "B12")
    }

    @Test func answersComeInTheirOrderAndThenFromTheClosure() async throws {
        let recorder = RecordingPushes(answering: { $0.deviceToken == .simulated() ? .accepted : .rejected(.badTopic) })
        recorder.answerNext(.rejected(.unregistered), .failure(PushError(.timedOut, certainty: .notSent)))
        let gone = try await recorder.push(gate, to: .simulated(), context: 4711)
        #expect(gone.status == 410 && gone.reason == .unregistered && gone.context as? Int == 4711)
        #expect(gone.timestamp != nil)
        let error = await #expect(throws: PushError.self) {
            try await recorder.push(gate, to: .simulated(), context: 4712)
        }
        #expect(error?.certainty == .notSent && error?.context as? Int == 4712)
        #expect(try await recorder.push(gate, to: .simulated()).isAccepted)
        #expect(try await recorder.push(gate, to: .simulated(number: 1)).reason == .badTopic)
        #expect(recorder.pushes.map { (try? $0.answer.get().status) ?? 0 } == [410, 0, 200, 400])
    }

    @Test func aSendThrowsOnlyWhatTheCallRefuses() async throws {
        let recorder = RecordingPushes()
        recorder.answerNext(
            .rejected(.unregistered), .failure(PushError(.connectionLost, certainty: .unknown)),
            .failure(PushError(.overloaded, certainty: .notSent)))
        try recorder.send(gate, to: .simulated())
        try recorder.send(gate, to: .simulated())
        #expect(throws: PushError.self) { try recorder.send(gate, to: .simulated()) }
        #expect(recorder.pushes.count == 3)
    }

    @Test func pushesOfAnotherTaskAreWaitedFor() async throws {
        let recorder = RecordingPushes()
        async let answer = recorder.push(gate, to: .simulated())
        #expect(try await recorder.waitForPushes(1).count == 1)
        #expect(try await answer.isAccepted)
        let error = await #expect(throws: TimeLimitExceeded.self) {
            try await recorder.waitForPushes(2, within: .milliseconds(1))
        }
        #expect(error?.description.hasPrefix("2 pushes were waited for, within 0.001 seconds, and 1 came.") == true)
    }

    @Test func broadcastsAreRecordedAndAnswered() async throws {
        let channel = try ChannelID("dHN0LXNyY2gtY2hubA==")
        let recorder = RecordingPushes(answeringBroadcasts: { _ in .rejected(.channelNotRegistered) })
        let sender: any BroadcastSending = recorder
        let answer = try await sender.push(gate, to: channel, bundleID: "com.example.app")
        #expect(answer.reason == .channelNotRegistered)
        try sender.send(gate, to: channel)
        #expect(recorder.broadcasts.map(\.channel) == [channel, channel])
        #expect(recorder.broadcasts.map(\.broadcast.bundleID) == ["com.example.app", nil])
        #expect(recorder.pushes.isEmpty)
    }

    @Test func aConnectionBroadcastsInTheSameForms() async throws {
        try await withSimulatedAPNs { apple, runtime in
            let made = try #require(apple.channels.create(for: apple.credentials.topic))
            let channel = try ChannelID(made.id)
            let orders = try runtime.connect(name: "orders", config: apple.connectionConfig)
            let sender: any BroadcastSending = orders.broadcasts
            let update = PushNotification(
                payload: Payload(unchecked: Array(#"{"aps":{"event":"update","content-state":{}}}"#.utf8)))
            let answer = try await sender.push(update, to: channel, context: "B12")
            #expect(answer.isAccepted && answer.context as? String == "B12")
            try sender.send(update, to: channel)
            #expect(try await orders.push(gate, to: .simulated()).isAccepted)
            #expect(await apple.ledger.wait { $0.broadcasts.requests == 2 })
        }
    }
}
