import PushQueue
import Testing

@testable import PushQueueRedis

/// What a process remembers for a failover, and forgets.
@Suite struct QueueMemoryTests {
    private let one = TakenEntry.Key("1-0")
    private let two = TakenEntry.Key("2-0")

    private func taken(_ key: TakenEntry.Key) -> TakenEntry {
        TakenEntry(key, .failure(QueueError(.invalidEntry, "It does not matter.")))
    }

    private func memory() -> QueueMemory {
        var memory = QueueMemory()
        memory.take([taken(one), taken(two)], as: .ann)
        memory.take([taken(one)], as: .bob)
        return memory
    }

    @Test func whatIsSettledOrGivenBackIsForgotten() {
        var memory = memory()
        memory.settle(
            [Settlement(one, rows: [], fate: .open), Settlement(two, rows: [], fate: .done)], as: .ann, words: [],
            mark: [], id: [], at: .now)
        #expect(memory.held == [.ann: [one: .init()], .bob: [one: .init()]])
        memory.release([one], as: .ann)
        #expect(memory.held == [.bob: [one: .init()]])
    }

    @Test func whatAWorkerDoesNotKnowIsForgottenWhenItRecovers() {
        var memory = memory()
        memory.keepOnly([two], as: .ann)
        memory.keepOnly([], as: .bob)
        #expect(memory.held == [.ann: [two: .init()]])
        memory.keepOnly([two], as: WorkerID("eve-1"))
        #expect(memory.held.count == 1)
    }

    @Test func aWorkerThatLeftAndALostQueueAreForgotten() {
        var memory = memory()
        memory.forget(.ann)
        #expect(memory.held == [.bob: [one: .init()]])
        memory.forgetHeld()
        #expect(memory.held.isEmpty)
    }

    @Test func entriesThatAServerNeverHadAreRememberedUntilTheyEnd() {
        var memory = memory()
        memory.miss([one, two], as: .ann)
        memory.miss([], as: .bob)
        memory.forgetHeld()
        memory.settle([Settlement(one, rows: [], fate: .open)], as: .ann, words: [], mark: [], id: [], at: .now)
        #expect(memory.absent == [.ann: [one, two]])
        memory.settle([Settlement(one, rows: [], fate: .done)], as: .bob, words: [], mark: [], id: [], at: .now)
        memory.settle([Settlement(two, rows: [], fate: .done)], as: .ann, words: [], mark: [], id: [], at: .now)
        #expect(memory.absent == [.ann: [one]])
        memory.keepOnly([two], as: .ann)
        #expect(memory.absent.isEmpty)
        memory.miss([one], as: .ann)
        memory.forget(.ann)
        #expect(memory.absent.isEmpty)
    }

    @Test func settlesAreKeptForFiveSecondsAndUpToTheirLimit() {
        var memory = QueueMemory()
        let start = ContinuousClock.now
        memory.settle([], as: .ann, words: [[1]], mark: [], id: [], at: start)
        memory.settle([], as: .ann, words: [[2]], mark: [], id: [], at: start + .seconds(5))
        #expect(memory.settles.map(\.words) == [[[1]], [[2]]])
        memory.settle([], as: .ann, words: [[3]], mark: [], id: [], at: start + .seconds(6))
        #expect(memory.settles.map(\.words) == [[[2]], [[3]]])
        memory.settle(
            [], as: .ann, words: [[UInt8](repeating: 0, count: 17 << 20)], mark: [], id: [], at: start + .seconds(6))
        #expect(memory.settles.isEmpty)
    }
}
