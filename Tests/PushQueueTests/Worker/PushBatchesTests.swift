import PushTesting
import SupervisedPush
import TestSupport
import Testing

/// Pushes that are handed over together.
@Suite(.timeLimit(.minutes(5))) struct PushBatchesTests {
    private func batch(_ tickets: Range<Int>) -> [BatchedPush] {
        tickets.map { BatchedPush(Push(Samples.flight, to: Samples.token($0)), ticket: $0) }
    }

    @Test func eachPushOfABatchEndsOnceWithItsTicket() async throws {
        try await withSimulatedAPNs(connecting: "orders") { _, runtime in
            let ends = Recorder<SettledPush>()
            let batches = PushBatches(over: BatchTarget(try runtime.connection(named: "orders"))) { ends.record($0) }
            let accepted = batches.offer(batch(0..<300), options: PushOptions())
            await ends.wait(for: 300)
            #expect(accepted.map(\.ticket) == Array(0..<300))
            #expect(accepted.allSatisfy { batches.attempts(of: $0) == 1 })
            #expect(ends.all.map(\.ticket).sorted() == Array(0..<300))
            #expect(ends.all.allSatisfy { (try? $0.outcome.get())?.isAccepted == true && $0.attempts == 1 })
        }
    }

    @Test func whatFindsNoRoomIsRefusedAndWhatIsCancelledEnds() async throws {
        try await withSimulatedAPNs { apple, runtime in
            apple.refuseConnections()
            let config = apple.connectionConfig.with { $0.limits.maxWaiting = 2 }
            let ends = Recorder<SettledPush>()
            let batches = PushBatches(over: BatchTarget(try runtime.connect(name: "orders", config: config))) {
                ends.record($0)
            }
            let accepted = batches.offer(batch(0..<5), options: PushOptions())
            #expect(accepted.map(\.ticket) == [0, 1])
            #expect(ends.all.map(\.ticket) == [2, 3, 4])
            for push in accepted { batches.cancel(push) }
            await ends.wait(for: 5)
            let codes = ends.all.map { ended -> PushError.Code? in
                if case .failure(let error) = ended.outcome, error.certainty == .notSent { error.code } else { nil }
            }
            #expect(codes == [.overloaded, .overloaded, .overloaded, .cancelled, .cancelled])
        }
    }

    @Test func anIDBesideTheNotificationIsSentAndIsTheCallers() async throws {
        try await withSimulatedAPNs { apple, runtime in
            let (events, continuation) = AsyncStream<FeedbackEvent>.makeStream()
            let config = apple.connectionConfig.with { $0.feedback = { continuation.yield($0) } }
            let ends = Recorder<SettledPush>()
            let batches = PushBatches(over: BatchTarget(try runtime.connect(name: "orders", config: config))) {
                ends.record($0)
            }
            let id = APNSID()
            let push = BatchedPush(Push(Samples.flight, to: Samples.unregistered()), apnsID: id, ticket: 0)
            _ = batches.offer([push], options: PushOptions())
            await ends.wait(for: 1)
            #expect(try ends.all.first?.outcome.get().apnsID == id)
            var iterator = events.makeAsyncIterator()
            let event = await iterator.next()
            #expect(event?.apnsID == id && event?.subject == id.description)
        }
    }

    @Test func afterTheEndOfTheConnectionAllAreRefused() async throws {
        try await withSimulatedAPNs(connecting: "orders") { _, runtime in
            let ends = Recorder<SettledPush>()
            let connection = try runtime.connection(named: "orders")
            let batches = PushBatches(over: BatchTarget(connection)) { ends.record($0) }
            await runtime.shutdown(within: .zero)
            #expect(batches.offer(batch(0..<3), options: PushOptions()).isEmpty)
            #expect(ends.all.map(\.ticket) == [0, 1, 2])
        }
    }
}
