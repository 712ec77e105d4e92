import Dispatch
import PushLocking
import Testing

@testable import SupervisedPush

/// Refusals behind a completion that blocks are bounded, and each is called once.
@Suite struct RefusalDeliveryTests {
    private let queue = DispatchQueue(label: "refusals")
    private let calls = Locked<[Int]>([])

    /// Any refusal.
    private let error = PushError(.overloaded, certainty: .notSent)

    private func call(_ delivery: RefusalDelivery, _ body: @escaping @Sendable () -> Void) {
        delivery.call({ _ in body() }, with: error)
    }

    private func refuse(_ number: Int, _ delivery: RefusalDelivery) {
        call(delivery) { calls.withLock { $0.append(number) } }
    }

    @Test func beyondTheBoundTheCallersThreadCalls() {
        let delivery = RefusalDelivery(on: queue, limit: 3)
        queue.suspend()
        for number in 0..<3 { refuse(number, delivery) }
        #expect(calls.withLock { $0 } == [])
        for number in 3..<6 { refuse(number, delivery) }
        #expect(calls.withLock { $0 } == [3, 4, 5])
        queue.resume()
        queue.sync {}
        #expect(calls.withLock { $0 } == [3, 4, 5, 0, 1, 2])
        queue.suspend()
        refuse(6, delivery)
        #expect(calls.withLock { $0.count } == 6)
        queue.resume()
        queue.sync {}
        #expect(calls.withLock { $0.last } == 6)
    }

    @Test func refusalsShareABlockUntilAnOutcomeComesBetween() {
        let delivery = RefusalDelivery(on: queue)
        queue.suspend()
        refuse(0, delivery)
        queue.async { calls.withLock { $0.append(100) } }
        refuse(1, delivery)
        delivery.endBatch()
        queue.async { calls.withLock { $0.append(101) } }
        refuse(2, delivery)
        queue.resume()
        queue.sync {}
        #expect(calls.withLock { $0 } == [0, 1, 100, 101, 2])
    }

    @Test func aBatchIsBoundedAndARefusalWhileItRunsBeginsAnother() {
        let delivery = RefusalDelivery(on: queue, largestBatch: 2)
        queue.suspend()
        for number in 0..<3 {
            refuse(number, delivery)
            queue.async { calls.withLock { $0.append(100 + number) } }
        }
        queue.resume()
        queue.sync {}
        #expect(calls.withLock { $0 } == [0, 1, 100, 101, 2, 102])
        call(delivery) { refuse(3, delivery) }
        queue.sync {}
        queue.sync {}
        #expect(calls.withLock { $0 } == [0, 1, 100, 101, 2, 102, 3])
    }

    @Test func onAConcurrentQueueARefusalThatBlocksDelaysNoOther() {
        let delivery = RefusalDelivery(on: .global(), largestBatch: 1)
        let (isBlocked, others) = (DispatchSemaphore(value: 0), DispatchGroup())
        call(delivery) { isBlocked.wait() }
        for number in 0..<10 {
            others.enter()
            call(delivery) {
                calls.withLock { $0.append(number) }
                others.leave()
            }
        }
        #expect(others.wait(timeout: .now() + 60) == .success)
        isBlocked.signal()
        #expect(calls.withLock { $0.sorted() } == Array(0..<10))
    }

    @Test func aCompletionThatPushesAgainIsCalledAgainAndNotDeeper() {
        let delivery = RefusalDelivery(on: queue, limit: 0)
        let depths = Locked<(now: Int, most: Int, calls: Int)>((0, 0, 0))
        @Sendable func pushAgain() {
            call(delivery) {
                let goesOn = depths.withLock { depth in
                    depth.now += 1
                    depth.calls += 1
                    depth.most = max(depth.most, depth.now)
                    return depth.calls < 100_000
                }
                if goesOn { pushAgain() }
                depths.withLock { $0.now -= 1 }
            }
        }
        pushAgain()
        #expect(depths.withLock { $0.calls } == 100_000)
        #expect(depths.withLock { $0.most } == 1)
    }
}
