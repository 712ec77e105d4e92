import Dispatch
import PushLocking
import Testing

@testable import SupervisedPush

@Suite("parity: E13 – feedback that a handler is too slow for is dropped, counted and told", .timeLimit(.minutes(5)))
struct FeedbackDeliveryTests {
    private static let event = FeedbackEvent.from(
        PushResponse(
            status: 410, body: Array(#"{"reason":"Unregistered","timestamp":1700000000000}"#.utf8)),
        connectionName: "orders", deviceToken: MachineSamples.token, callerID: nil, sentID: nil, answeredAt: 0)

    @Test func aHandlerThatHangsIsToldOfAtOnceAndNothingGrows() async throws {
        let event = try #require(Self.event)
        let gate = DispatchSemaphore(value: 0)
        let entered = DispatchSemaphore(value: 0)
        let handled = Locked(0)
        let reports = Locked<[Int]>([])
        let (told, signal) = AsyncStream.makeStream(of: Int.self)
        let delivery = FeedbackDelivery(
            handler: { _ in
                if handled.withLock({ count in
                    count += 1
                    return count == 1
                }) {
                    entered.signal()
                    Self.block(gate)
                }
            }, onFailure: { _ in },
            onOverflow: { count in
                reports.withLock { $0.append(count) }
                signal.yield(count)
            })
        delivery.post(event)
        Self.block(entered)
        // One is being handled and 10,000 wait; of 2,500 more the first is told at once, then each thousand.
        for _ in 0..<12_500 { delivery.post(event) }
        #expect(reports.withLock { $0 } == [1, 1_000, 1_000])
        gate.signal()
        // What is left is told once the handler has come to where events are missing.
        var total = 0
        for await count in told {
            total += count
            if total == 2_500 { break }
        }
        #expect(handled.withLock { $0 } == 10_001)
        #expect(reports.withLock { $0 } == [1, 1_000, 1_000, 499])
        delivery.post(event)
        delivery.close()
        delivery.post(event)
        #expect(reports.withLock { $0.count } == 4)
    }

    @Test func whatWaitsForCompletionsIsBoundedAndLossesAreTold() throws {
        let event = try #require(Self.event)
        let reports = Locked<[Int]>([])
        let delivery = FeedbackDelivery(
            handler: { _ in }, onFailure: { _ in }, onOverflow: { count in reports.withLock { $0.append(count) } })
        let first = delivery.admit(Array(repeating: event, count: 9_000))
        let second = delivery.admit(Array(repeating: event, count: 3_000))
        #expect(first.count == 9_000 && second.count == 1_000)
        #expect(reports.withLock { $0 } == [1, 1_000])
        delivery.post(admitted: first)
        delivery.post(admitted: second)
        // What is left is told once nothing waits any more.
        #expect(reports.withLock { $0 } == [1, 1_000, 999])
        #expect(delivery.admit([event]).count == 1)
        delivery.close()
    }

    private static func block(_ gate: DispatchSemaphore) { gate.wait() }

    @Test func lossesAddUp() {
        var losses = FeedbackLosses()
        #expect(losses.add() == 1)
        #expect((0..<999).allSatisfy { _ in losses.add() == 0 })
        #expect(losses.add() == 1_000)
        #expect(losses.add() == 0)
        #expect(losses.caughtUp() == 1)
        #expect(losses.caughtUp() == 0)
        #expect(losses.add() == 1)
    }
}
