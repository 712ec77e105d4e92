import PushLocking
import Testing

@testable import PushSimulator

/// Who waits for connections that are being accepted.
@Suite(.timeLimit(.minutes(5))) struct ArrivalTests {
    private func arrive(_ id: ConnectionID, _ book: Locked<ConnectionBook>) -> Int {
        let waiters = book.withLock { $0.arrived(id) }
        for waiter in waiters { waiter.continuation.resume() }
        return waiters.count
    }

    @Test func thoseThatArriveAreWaitedForAndLaterOnesAreNot() async {
        let book = Locked(ConnectionBook())
        let (first, second) = book.withLock { ($0.nextID(), $0.nextID()) }
        await withCheckedContinuation { continuation in
            #expect(book.withLock { $0.add(continuation) })
            let third = book.withLock { $0.nextID() }
            #expect(arrive(first, book) == 0)
            #expect(arrive(second, book) == 1)
            #expect(arrive(third, book) == 0)
        }
    }

    @Test func withoutArrivalsThereIsNothingToWaitFor() async {
        let book = Locked(ConnectionBook())
        let id = book.withLock { $0.nextID() }
        #expect(arrive(id, book) == 0)
        await withCheckedContinuation { continuation in
            #expect(!book.withLock { $0.add(continuation) })
            continuation.resume()
        }
    }
}
