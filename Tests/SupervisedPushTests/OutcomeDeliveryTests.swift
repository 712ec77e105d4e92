import Dispatch
import PushLocking
import PushProtocol
import Testing

@testable import SupervisedPush

struct OutcomeDeliveryTests {
    /// What a completion captures.
    private final class Captured: Sendable {}

    private let served = ServedRoom()
    private let delivery = OutcomeDelivery(label: "delivery", feedback: nil)

    @Test func aCompletionIsReleasedBeforeTheNextOneIsCalled() async {
        let released = Locked<[Bool]>([])
        let gate = DispatchSemaphore(value: 0)
        await withCheckedContinuation { done in
            // Closed until this thread has let go of the batch, which has the completions, too.
            delivery.afterwards { gate.wait() }
            deliverTwo(to: released)
            delivery.afterwards { done.resume() }
            gate.signal()
        }
        #expect(released.withLock { $0 } == [false, true])
    }

    /// Delivers two completions; each says whether what the first has captured is gone.
    private func deliverTwo(to released: Locked<[Bool]>) {
        var batch = OutcomeDelivery.Batch()
        var captured: Captured? = Captured()
        let seen = WeakBox(captured)
        add(to: &batch) { [captured] in
            withExtendedLifetime(captured) { released.withLock { $0.append(seen.isGone) } }
        }
        captured = nil
        add(to: &batch) { released.withLock { $0.append(seen.isGone) } }
        delivery.deliver(batch, room: served.room)
    }

    /// Adds a push that ends with a completion.
    private func add(to batch: inout OutcomeDelivery.Batch, _ call: @escaping @Sendable () -> Void) {
        let record = served.record()
        record.outcome = .completion { _ in call() }
        _ = batch.add(.failure(.closed(record.id)), of: record)
    }

    @Test func aReceiverIsMovedOutOfItsRecordOnce() {
        var batch = OutcomeDelivery.Batch()
        let record = served.record()
        record.outcome = .completion { _ in }
        let isAdded = (0..<2).map { _ in batch.add(.failure(.closed(record.id)), of: record) == nil }
        #expect(isAdded == [true, false] && batch.count == 1 && !record.outcome.isNobody)
    }

    @Test(arguments: [true, false]) func oneWhoIsNotCalledIsNoPartOfABatch(isBlocked: Bool) {
        var batch = OutcomeDelivery.Batch()
        let record = served.record()
        record.outcome = isBlocked ? .thread(BlockedCaller()) : .nobody
        let isAdded = batch.add(.failure(.closed(record.id)), of: record) == nil
        #expect(!isAdded && batch.isEmpty && record.outcome.isNobody == !isBlocked)
    }

    private final class WeakBox: @unchecked Sendable {
        // Sendable: set once, before others have it; a weak reference may be read from any thread.
        private weak var value: Captured?
        init(_ value: Captured?) { self.value = value }
        var isGone: Bool { value == nil }
    }
}
