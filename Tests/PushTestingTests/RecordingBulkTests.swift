import PushTesting
import Testing

/// The fake, in bulk.
@Suite(.timeLimit(.minutes(5))) struct RecordingBulkTests {
    private let gate = PushNotification.alert(title: "Gate", body: "B12")

    /// What a reader might have to test.
    private struct Campaign<Sender: BulkSending> {
        let sender: Sender

        /// The tokens that APNs no longer takes.
        func run(_ pushes: [Push]) async throws -> [DeviceToken] {
            var gone: [DeviceToken] = []
            for try await outcome in sender.bulk(pushes) {
                if (try? outcome.result.get())?.reason == .unregistered { gone.append(outcome.push.deviceToken) }
            }
            return gone
        }
    }

    @Test func aBulkIsRecordedAndAnswered() async throws {
        let recorder = RecordingPushes(answering: {
            $0.deviceToken == .simulated(number: 3) ? .rejected(.unregistered) : .accepted
        })
        let pushes = (0..<5).map { Push(gate, to: .simulated(number: $0)) }
        #expect(try await Campaign(sender: recorder).run(pushes) == [.simulated(number: 3)])
        #expect(recorder.pushes.map(\.push) == pushes)
    }

    @Test func aConnectionDoesTheSame() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            let orders = try runtime.connection(named: "orders")
            let pushes = [SimulatedDevice.valid, .unregistered].map { Push(gate, to: .simulated($0)) }
            #expect(try await Campaign(sender: orders).run(pushes) == [.simulated(.unregistered)])
            #expect(apple.pushes.count == 1)
        }
    }

    @Test func nothingIsReadBeforeTheFirstOutcomeIsAskedFor() async throws {
        let recorder = RecordingPushes()
        let bulk = recorder.bulk([Push(gate, to: .simulated())])
        #expect(recorder.pushes.isEmpty)
        for try await outcome in bulk { #expect(outcome.index == 0) }
        #expect(recorder.pushes.count == 1)
    }

    @Test func asynchronousSourcesAndBroadcastsAreRecorded() async throws {
        let recorder = RecordingPushes()
        let channel = try ChannelID("dHN0LXNyY2gtY2hubA==")
        let (stream, source) = AsyncStream.makeStream(of: Broadcast.self)
        for _ in 0..<3 { source.yield(Broadcast(gate, to: channel)) }
        source.finish()
        var indices: [Int] = []
        for try await outcome in recorder.bulk(stream) { indices.append(outcome.index) }
        #expect(indices == [0, 1, 2])
        #expect(recorder.broadcasts.map(\.channel) == [channel, channel, channel])
    }
}
