import Foundation
import ProcessRuntime
import Testing

@testable import PushQueue

/// When outcomes are settled, and what becomes of entries. Whole lists of actions.
@Suite struct WorkerSettlingTests {
    @Test func outcomesAreSettledTwentyMillisecondsAfterTheFirst() {
        var worker = WorkerHarness(room: 4)
        _ = worker.take(.sample("a", 4))
        #expect(worker.end("a", [2]) == [])
        #expect(worker.machine.nextWake == worker.after(.milliseconds(20)))
        #expect(worker.advance(by: .milliseconds(19)) == [])
        #expect(worker.end("a", [0]) == [])
        #expect(worker.advance(by: .milliseconds(1)) == [.settle("a", [2, 0], .open)])
        #expect(worker.end("a", [1, 3]) == [])
        #expect(worker.feed(.settled) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", [1, 3], .done)])
        #expect(worker.feed(.settled) == [.forget("a")])
    }

    @Test func twoHundredFiftySixOutcomesAreSettledAtOnce() {
        var worker = WorkerHarness(room: 256)
        _ = worker.take(.sample("a", 256))
        #expect(worker.end("a", 0..<255) == [])
        #expect(worker.end("a", [255]) == [.settle("a", Array(0..<256), .done)])
        #expect(worker.feed(.settled) == [.forget("a")])
    }

    @Test func whileSettlementsFailNothingIsTakenAndNothingIsLost() {
        var worker = WorkerHarness(room: 4)
        _ = worker.take(.sample("a", 2), .sample("b", 2))
        _ = worker.end("a", [0, 1])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", [0, 1], .done)])
        #expect(worker.end("b", [1]) == [])
        #expect(worker.feed(.failed(.unreachable)) == [])
        #expect(worker.advance(by: .milliseconds(99)) == [])
        #expect(
            worker.advance(by: .milliseconds(1))
                == [.settle([.of("a", [0, 1], .told, .done), .of("b", [1], .told, .open)])])
        #expect(worker.feed(.failed(.full)) == [])
        _ = worker.end("b", [0])
        #expect(
            worker.advance(by: .milliseconds(200))
                == [.settle([.of("a", [0, 1], .told, .done), .of("b", [1, 0], .told, .done)])])
        #expect(worker.feed(.settled) == [.forget("a"), .forget("b")])
    }

    @Test func aRetryIsPutOffOnceTheOtherTokensHaveEnded() {
        var worker = WorkerHarness(room: 4)
        _ = worker.take(.sample("a", 4))
        let (soon, late) = (Date(timeIntervalSince1970: 60), Date(timeIntervalSince1970: 90))
        #expect(worker.end("a", [0], .later(late)) == [])
        #expect(worker.end("a", [1], .later(soon)) == [])
        #expect(worker.end("a", [2, 3]) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", [2, 3], .again(late, retries: 1))])
        #expect(worker.feed(.settled) == [.forget("a")])
    }

    /// APNs answered one of them before the deadline passed.
    @Test func whatWasPutOffEndsWithItsAnswerAtTheDeadline() {
        var worker = WorkerHarness(room: 256)
        _ = worker.take(.sample("a", 2, deadline: worker.after(.milliseconds(50))))
        #expect(worker.end("a", [0], .later(Date(timeIntervalSince1970: 60))) == [])
        #expect(worker.end("a", [1], .unsent) == [])
        #expect(worker.advance(by: .milliseconds(100)) == [])
        let rows = [WorkerMachine.Row(0, .told), WorkerMachine.Row(1, .tooLate)]
        #expect(
            worker.advance(by: .milliseconds(20))
                == [.settle([WorkerMachine.Part(key: TakenEntry.Key("a"), rows: rows, fate: .done)])])
    }

    @Test func furtherSlicesArePutOffWithTheRetry() {
        var worker = WorkerHarness(room: 256)
        _ = worker.take(.sample("a", 300))
        _ = worker.feed(.offered)
        let date = Date(timeIntervalSince1970: 60)
        #expect(worker.end("a", [0], .later(date)) == [])
        #expect(worker.end("a", 1..<256) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", Array(1..<256), .again(date, retries: 1))])
    }

    @Test func theEleventhRetryIsARejection() {
        var worker = WorkerHarness(room: 1)
        let date = Date(timeIntervalSince1970: 60)
        for count in 0..<WorkerMachine.mostRetries {
            _ = worker.take(.sample("a", 1, retries: count))
            #expect(worker.end("a", [0], .later(date)) == [])
            #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", [], .again(date, retries: count + 1))])
            #expect(worker.feed(.settled) == [.forget("a")])
            worker.isQuiet = false
            #expect(worker.feed(.waited) == [.take(tokens: 1)])
        }
        _ = worker.take(.sample("a", 1, retries: WorkerMachine.mostRetries))
        #expect(worker.end("a", [0], .later(date)) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", [0], .done)])
        #expect(worker.machine.postponed == 10)
    }

    @Test func whatIsGivenBackKeepsItsRetries() {
        var worker = WorkerHarness(room: 2)
        _ = worker.take(.sample("a", 2, retries: 3))
        _ = worker.feed(.room(0))
        #expect(worker.end("a", [0]) == [])
        #expect(worker.end("a", [1], .unsent) == [])
        #expect(
            worker.advance(by: .milliseconds(20))
                == [.settle("a", [0], .again(Date(timeIntervalSince1970: 0), retries: 3))])
    }

    @Test func anEntryThatCannotBeReadIsDeadAtOnce() {
        var worker = WorkerHarness(room: 4)
        let facts = WorkerMachine.Facts(key: TakenEntry.Key("a"))
        #expect(worker.take(facts) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", [], .unreadable)])
        #expect(worker.feed(.settled) == [.forget("a")])
    }
}
