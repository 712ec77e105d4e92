import Dispatch
import PushLocking
import Testing

@Suite struct LockedTests {
    @Test func incrementsFromManyThreadsAreAllCounted() {
        let counter = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 64) { _ in
            for _ in 0..<1_000 { counter.withLock { $0 += 1 } }
        }
        #expect(counter.withLock { $0 } == 64_000)
    }

    @Test func anErrorThrownInsideLeavesTheLockFree() {
        struct Refused: Error {}
        let value = Locked(1)
        #expect(throws: Refused.self) { try value.withLock { _ in throw Refused() } }
        #expect(value.withLock { $0 } == 1)
    }
}
