import Dispatch
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

@Suite("parity: E13, F10 – a feedback handler can harm nobody", .timeLimit(.minutes(5)))
struct FeedbackStories {
    /// Pushes to device tokens that APNs does not know any more.
    private func push(_ numbers: Range<Int>, _ stage: Rehearsal, _ book: OutcomeBook) {
        for number in numbers {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.unregistered(number), completion: book.completion(number))
        }
    }

    @Test func oneThatBlocksDelaysNoOutcome() async throws {
        let stage = try Rehearsal.inMemory()
        let gate = DispatchSemaphore(value: 0)
        let heard = Locked<[DeviceToken]>([])
        let (done, signal) = AsyncStream.makeStream(of: Void.self)
        let config = stage.patientConfig.with {
            $0.feedback = { event in
                Self.block(gate)
                let count = heard.withLock { heard in
                    heard.append(event.deviceToken)
                    return heard.count
                }
                if count == 50 { signal.finish() }
            }
        }
        try stage.runtime.connect(name: "orders", config: config)
        let book = OutcomeBook()
        push(0..<50, stage, book)
        await book.wait(for: 50)
        #expect(book.summary == ["rejected": 50])
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        for _ in 0..<50 { gate.signal() }
        for await _ in done {}
        #expect(Set(heard.withLock { $0 }) == Set((0..<50).map { Samples.unregistered($0) }))
        await stage.end()
    }

    private static func block(_ gate: DispatchSemaphore) { gate.wait() }

    @Test func oneThatThrowsOrCallsTheRuntimeIsCalledAgain() async throws {
        struct Trouble: Error {}
        let stage = try Rehearsal.inMemory()
        let calls = Locked(0)
        let (answers, signal) = AsyncStream.makeStream(of: Bool.self)
        let runtime = stage.runtime
        let config = stage.patientConfig.with {
            $0.feedback = { [weak runtime] _ in
                let number = calls.withLock { count in
                    count += 1
                    return count
                }
                if number == 1 { throw Trouble() }
                // Every way back into the runtime, its end included.
                if number == 2, let runtime {
                    let answer = try await runtime.push(name: "orders", Samples.flight, to: Samples.token())
                    signal.yield(answer.isAccepted)
                    signal.yield(try await runtime.connection(named: "orders").drain(within: .seconds(5)))
                    try await runtime.close(name: "orders")
                    signal.finish()
                }
            }
        }
        try runtime.connect(name: "orders", config: config)
        let book = OutcomeBook()
        push(0..<2, stage, book)
        #expect(await answers.reduce(into: []) { $0.append($1) } == [true, true])
        #expect(book.summary == ["rejected": 2] && stage.runtime.names.isEmpty)
        await stage.end()
    }

    @Test("parity: G9 – a log of dead devices, drained by reading")
    func aLogCollectsEventsOfSeveralConnections() async throws {
        let stage = try Rehearsal.inMemory()
        let log = FeedbackLog(limit: 5)
        let config = stage.patientConfig.with { $0.feedback = log.record }
        for name in ["orders", "news"] { try stage.runtime.connect(name: name, config: config) }
        let first = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.unregistered(1))
        _ = try await stage.runtime.push(name: "news", Samples.flight, to: Samples.unregistered(2))
        await until { log.count >= 2 }
        #expect(Set(log.events.map(\.deviceToken)) == [Samples.unregistered(1), Samples.unregistered(2)])
        let drained = log.drain()
        #expect(drained.count == 2 && log.drain().isEmpty && log.count == 0)
        let event = try #require(drained.first { $0.connectionName == "orders" })
        #expect(event.basis == .reported && event.invalidatedAtMilliseconds == first.timestampMilliseconds)
        for event in [drained[0], drained[0], drained[0], drained[0], drained[0], drained[0], drained[0]] {
            log.record(event)
        }
        #expect(log.count == 5 && log.droppedCount == 2)
        await stage.end()
    }
}
