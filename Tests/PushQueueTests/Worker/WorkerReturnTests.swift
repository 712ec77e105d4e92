import Foundation
import ProcessRuntime
import Testing

@testable import PushQueue

/// Entries that come back to a worker that awaits answers to its own pushes of them. Whole lists of actions.
@Suite struct WorkerReturnTests {
    private static let other = WorkerID("other")

    /// A worker that wrote the first five of ten tokens, lost its lease, and heard that another worker has the entry.
    /// That one is dead now, so it is reclaimed.
    private func reclaiming(_ facts: WorkerMachine.Facts) -> WorkerHarness {
        var worker = WorkerHarness(room: 256)
        _ = worker.take(.sample("a", 10, neverRepeats: facts.neverRepeats))
        #expect(worker.advance(by: .seconds(10)) == [.withdraw(nil), .beat])
        #expect(worker.end("a", 5..<10, .unsent) == [])
        worker.isQuiet = false
        #expect(worker.acknowledge([Self.other: 7]) == [.recover(besides: [])])
        #expect(worker.feed(.recovered([])) == [.withdraw(TakenEntry.Key("a"))])
        #expect(worker.news == [.leaseLost, .lostEntries(1)])
        worker.isQuiet = true
        for _ in 0..<5 {
            _ = worker.advance(by: .seconds(3))
            _ = worker.acknowledge([Self.other: 7])
        }
        #expect(worker.machine.call == .reclaim(Self.other))
        return worker
    }

    private func settled(_ worker: inout WorkerHarness) -> [WorkerMachine.Action] {
        worker.isQuiet = true
        let actions = worker.advance(by: .milliseconds(20))
        return actions.filter { if case .settle = $0 { true } else { false } }
    }

    @Test func itsDoubtsCountAndWhatIsInFlightIsNotPushedAgain() {
        let facts = WorkerMachine.Facts.sample("a", 10, offered: 10, doubts: 2)
        var worker = reclaiming(facts)
        let end = worker.now.advanced(by: .seconds(10))
        #expect(worker.feed(.reclaimed([facts])) == [.push("a", 5..<10, by: end)])
        #expect(worker.news.last == .tookOver(from: Self.other, entries: 1, tokensInDoubt: 10))
        #expect(worker.machine.flying == 10)
        #expect(worker.end("a", 0..<10) == [])
        #expect(settled(&worker) == [.settle("a", Array(0..<10), .done)])
    }

    @Test func anEntryOfACancelledCampaignThatComesBackIsNotPushedAgain() {
        let facts = WorkerMachine.Facts.sample("a", 10, offered: 10, doubts: 2, hold: .cancelled)
        var worker = reclaiming(facts)
        #expect(worker.feed(.reclaimed([facts])) == [])
        #expect(worker.end("a", 0..<5) == [])
        let rows = (0..<10).map { WorkerMachine.Row($0, $0 < 5 ? .told : .interrupted) }
        let part = WorkerMachine.Part(key: TakenEntry.Key("a"), rows: rows, fate: .cancelled)
        #expect(settled(&worker) == [.settle([part])])
    }

    /// Without the doubts, the entry would go back as if all that was sent had been answered.
    @Test func theEndOfTheLateAnswersDoesNotEraseTheDoubt() {
        let facts = WorkerMachine.Facts.sample("a", 10, offered: 10, doubts: 2)
        var worker = reclaiming(facts)
        _ = worker.feed(.room(0))
        #expect(worker.feed(.reclaimed([facts])) == [])
        #expect(worker.end("a", 0..<5) == [])
        #expect(settled(&worker) == [.settle("a", Array(0..<5), .open)])
    }

    @Test func aLostReplyOfTheReclaimKeepsTheDoubt() {
        let facts = WorkerMachine.Facts.sample("a", 10, offered: 10, doubts: 2)
        var worker = reclaiming(facts)
        worker.isQuiet = false
        #expect(worker.feed(.failed(.unreachable)) == [])
        #expect(worker.advance(by: .milliseconds(100)) == [.recover(besides: [])])
        let end = worker.now.advanced(by: .milliseconds(9_900))
        #expect(worker.feed(.recovered([facts])) == [.push("a", 5..<10, by: end)])
    }

    @Test func aStoreThatCountsMoreAsOfferedThanThereAreIsNotBelieved() {
        var worker = WorkerHarness(room: 256)
        _ = worker.take(.sample("a", 300, offered: 500))
        #expect(worker.machine.flying == 256)
    }

    /// The answer to the last push comes before the store says whose the entry is.
    @Test func nothingIsDecidedBeforeTheStoreSaysWhoseItIs() {
        var worker = WorkerHarness(room: 256)
        _ = worker.take(.sample("a", 10))
        _ = worker.advance(by: .seconds(10))
        _ = worker.end("a", 5..<10, .unsent)
        #expect(worker.end("a", 0..<5) == [])
        #expect(settled(&worker) == [.settle("a", Array(0..<5), .open)])
        #expect(worker.feed(.settled) == [])
        worker.isQuiet = false
        #expect(worker.acknowledge() == [.recover(besides: [])])
        let facts = WorkerMachine.Facts.sample("a", 10, offered: 10, settled: TokenSet(0..<5), doubts: 2)
        #expect(
            worker.feed(.recovered([facts])) == [.push("a", 5..<10, by: worker.now.advanced(by: .milliseconds(9_980)))])
    }

    @Test func onceEndsWhatAnotherWorkerMayHaveSent() {
        let facts = WorkerMachine.Facts.sample("a", 10, neverRepeats: true, offered: 10, doubts: 1)
        var worker = reclaiming(facts)
        _ = worker.feed(.reclaimed([facts]))
        _ = worker.feed(.reclaimed([]))
        #expect(settled(&worker) == [.settle([.of("a", Array(5..<10), .interrupted, .open)])])
        _ = worker.feed(.settled)
        _ = worker.end("a", [0], .unsent)
        _ = worker.end("a", [1], .refused)
        _ = worker.end("a", [2], .later(Date(timeIntervalSince1970: 9)))
        _ = worker.end("a", [3, 4])
        let rows = (0..<3).map { WorkerMachine.Row($0, .interrupted) } + [.init(3, .told), .init(4, .told)]
        #expect(
            settled(&worker) == [.settle([WorkerMachine.Part(key: facts.key, rows: rows, fate: .done)])])
    }

    @Test func whatTheOtherWorkerSettledIsNotPushedAgain() {
        let facts = WorkerMachine.Facts.sample("a", 10, offered: 10, settled: TokenSet([0, 1, 5, 6]), doubts: 1)
        var worker = reclaiming(facts)
        let end = worker.now.advanced(by: .seconds(10))
        #expect(worker.feed(.reclaimed([facts])).first == .push("a", 7..<10, by: end))
        _ = worker.feed(.reclaimed([]))
        _ = worker.end("a", [0], .refused)
        _ = worker.end("a", [1])
        #expect(worker.machine.flying == 6)
        _ = worker.end("a", 2..<5)
        _ = worker.end("a", 7..<10)
        #expect(worker.machine.flying == 0 && worker.machine.openTokens == 0)
        #expect(settled(&worker) == [.settle("a", [2, 3, 4, 7, 8, 9], .done)])
    }

    @Test func anEntryWithThreeDoubtsIsDeadOnceItsAnswersAreThere() {
        let facts = WorkerMachine.Facts.sample("a", 10, offered: 10, doubts: 3)
        var worker = reclaiming(facts)
        _ = worker.feed(.reclaimed([facts]))
        #expect(worker.machine.flying == 5)
        _ = worker.feed(.reclaimed([]))
        _ = worker.end("a", 0..<5)
        let rows = (0..<10).map { WorkerMachine.Row($0, $0 < 5 ? .told : .interrupted) }
        #expect(
            settled(&worker) == [.settle([WorkerMachine.Part(key: facts.key, rows: rows, fate: .dead)])])
    }
}
