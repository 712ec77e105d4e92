import Foundation
import ProcessRuntime
import Testing

@testable import PushQueue

/// What becomes of entries that come from a dead worker. Whole lists of actions.
@Suite struct WorkerDoubtTests {
    private static let other = WorkerID("other")

    /// A worker that asks for what a dead one had.
    private func reclaiming(room: Int = 1_000) -> WorkerHarness {
        var worker = WorkerHarness(room: 0)
        for second in 1...5 {
            _ = worker.advance(by: .seconds(3))
            _ = worker.acknowledge([Self.other: 7])
            #expect(worker.machine.dead == (second == 5 ? [Self.other] : []))
        }
        #expect(
            worker.feed(.room(room))
                == [.reclaim(from: Self.other, at: 7, limit: max(1, room / 256))])
        return worker
    }

    @Test func aCounterThatStandsStillForTwelveSecondsIsReclaimedInPages() {
        var worker = reclaiming(room: 1_000)
        let end = worker.now.advanced(by: .seconds(10))
        #expect(
            worker.feed(.reclaimed([.sample("a", 2, doubts: 1)]))
                == [.push("a", 0..<2, by: end), .reclaim(from: Self.other, at: 7, limit: 3)])
        #expect(worker.feed(.reclaimed([])) == [.take(tokens: 998)])
        #expect(worker.machine.others == [:])
        #expect(worker.news == [.tookOver(from: Self.other, entries: 1, tokensInDoubt: 2)])
    }

    @Test func aCounterThatMovesIsAlive() {
        var worker = WorkerHarness(room: 0)
        for counter in 1...10 {
            _ = worker.advance(by: .seconds(3))
            _ = worker.acknowledge([Self.other: UInt64(counter / 4)])
            #expect(worker.machine.dead == [])
        }
    }

    @Test func afterAGapOfItsOwnAWorkerWatchesTheOthersFromTheStart() {
        var worker = WorkerHarness(room: 0)
        worker.isQuiet = true
        _ = worker.advance(by: .seconds(3))
        _ = worker.acknowledge([Self.other: 7])
        #expect(worker.advance(by: .seconds(20)) == [.beat])
        _ = worker.acknowledge([Self.other: 7])
        #expect(worker.machine.dead == [])
        for _ in 0..<4 {
            _ = worker.advance(by: .seconds(3))
            #expect(worker.machine.dead == [])
            _ = worker.acknowledge([Self.other: 7])
        }
        #expect(worker.machine.dead == [Self.other])
    }

    @Test func onceEndsAsInterruptedAndTheRestIsPushed() {
        var worker = reclaiming(room: 256)
        let facts = WorkerMachine.Facts.sample(
            "a", 260, neverRepeats: true, offered: 256, settled: TokenSet(2..<256), doubts: 1)
        #expect(worker.feed(.reclaimed([facts])) == [.offer("a", 260)])
        #expect(
            worker.feed(.offered)
                == [
                    .push("a", 256..<260, by: worker.now.advanced(by: .seconds(10))),
                    .reclaim(from: Self.other, at: 7, limit: 1),
                ])
        #expect(worker.end("a", 256..<260) == [])
        worker.isQuiet = true
        _ = worker.feed(.reclaimed([]))
        let rows = [0, 1].map { WorkerMachine.Row($0, .interrupted) } + (256..<260).map { .init($0, .told) }
        #expect(
            worker.advance(by: .milliseconds(20))
                == [.settle([WorkerMachine.Part(key: facts.key, rows: rows, fate: .done)])])
    }

    @Test func anEntryWithTwoDoubtsIsPushedAlone() {
        var worker = reclaiming(room: 1_000)
        let end = worker.now.advanced(by: .seconds(10))
        #expect(
            worker.feed(.reclaimed([.sample("a", 1, doubts: 1)]))
                == [.push("a", 0..<1, by: end), .reclaim(from: Self.other, at: 7, limit: 3)])
        #expect(
            worker.feed(.reclaimed([.sample("b", 2, doubts: 2), .sample("c", 1, doubts: 2), .sample("d", 1)]))
                == [.release([TakenEntry.Key("c"), TakenEntry.Key("d")])])
        #expect(worker.feed(.released) == [.forget("c"), .forget("d")])
        #expect(worker.end("a", [0]) == [.push("b", 0..<2, by: end)])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", [0], .done)])
        #expect(worker.feed(.settled) == [.forget("a")])
        #expect(worker.end("b", [0, 1]) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("b", [0, 1], .done)])
        #expect(worker.feed(.settled) == [.forget("b"), .reclaim(from: Self.other, at: 7, limit: 3)])
    }

    @Test func aStopGivesBackWhatIsStillInDoubtOnceItsRowsAreStored() {
        var worker = reclaiming(room: 256)
        _ = worker.feed(.reclaimed([.sample("a", 2, doubts: 1)]))
        worker.isQuiet = true
        _ = worker.feed(.reclaimed([]))
        #expect(worker.feed(.stop(within: .seconds(10))) == [])
        #expect(worker.end("a", [0]) == [])
        #expect(worker.end("a", [1], .unsent) == [.settle("a", [0], .open)])
        #expect(worker.feed(.settled) == [.release("a")])
        #expect(worker.feed(.released) == [.forget("a"), .leave])
    }

    @Test func anEntryWithThreeDoubtsIsDead() {
        var worker = reclaiming(room: 256)
        let facts = WorkerMachine.Facts.sample("a", 258, offered: 256, settled: TokenSet(1..<256), doubts: 3)
        _ = worker.feed(.reclaimed([facts]))
        worker.isQuiet = true
        _ = worker.feed(.reclaimed([]))
        let rows: [WorkerMachine.Row] = [.init(0, .interrupted), .init(256, .deadLetter), .init(257, .deadLetter)]
        #expect(
            worker.advance(by: .milliseconds(20))
                == [.settle([WorkerMachine.Part(key: facts.key, rows: rows, fate: .dead)])])
        #expect(worker.feed(.settled) == [.forget("a")])
    }
}
