import PushQueue
import PushTerminal
import Testing

@testable import pushctl

/// What is told of workers.
@Suite struct WorkerTextTests {
    private func status(_ workers: [String: WorkerStanding]) -> QueueStatus {
        var status = QueueStatus()
        for (name, standing) in workers { status.workers[WorkerID(name)] = standing }
        return status
    }

    @Test func aSilentWorkerIsDead() {
        let lines = WorkerLine.all(
            of: status([
                "b": WorkerStanding(taken: 12, silence: .seconds(40)),
                "a": WorkerStanding(taken: 3, silence: .seconds(2)),
                "c": WorkerStanding(taken: 0, silence: .seconds(13)), "d": WorkerStanding(taken: 1),
            ]))
        #expect(
            lines.map(\.text) == [
                "worker a: 3 taken, last heartbeat 2 s ago",
                "worker b: 12 taken, silent for 40 s: dead, taken over soon",
                "worker c: 0 taken, silent for 13 s: dead", "worker d: 1 taken, no heartbeat yet",
            ])
    }

    @Test func withoutAnotherWorkerNothingIsTakenOver() {
        let lines = WorkerLine.all(of: status(["a": WorkerStanding(taken: 1, silence: .seconds(40))]))
        #expect(lines.first?.text == "worker a: 1 taken, silent for 40 s: dead, and no other worker takes it over")
    }

    @Test func aNameTellsHostAndProcess() {
        #expect(WorkerName.make(host: "web1.example.com", process: 4711) == "web1-4711")
        #expect(WorkerName.make(host: "a b\u{1B}", process: 1) == "a-b--1")
        #expect(WorkerName.make(host: "", process: 1) == "host-1")
    }

    @Test func eachEventHasALine() {
        let worker = WorkerID("web1-1-0a")
        #expect(
            WorkerNews.line(.tookOver(from: worker, entries: 1, tokensInDoubt: 0))
                == "took over 1 entry of the dead worker web1-1-0a, no push in doubt")
        #expect(
            WorkerNews.line(.tookOver(from: worker, entries: 2, tokensInDoubt: 300))
                == "took over 2 entries of the dead worker web1-1-0a, 300 pushes in doubt")
        #expect(
            WorkerNews.line(.deadLetter(entry: nil, reason: "No tokens.")) == "an entry is a dead letter: No tokens.")
        #expect(WorkerNews.line(.lostEntries(1)) == "another worker has taken over 1 entry of this one")
        #expect(WorkerNews.line(.storeBack(after: .seconds(4))) == "the queue answers again, after 4 s")
        #expect(
            WorkerNews.line(.storeUnreachable(QueueError(.unreachable, "No answer.")))
                .hasSuffix("cannot be used: No answer."))
        #expect(
            WorkerNews.line(.storeFailed(QueueError(.refused, "It refused the login. Check the password.")))
                == "the queue refuses this worker: It refused the login. Check the password. "
                + "pushctl doctor --queue tells what is wrong with it")
        #expect(
            WorkerNews.line(.storeFailed(QueueError(.full, "The disk is full."))).hasPrefix(
                "the queue has no room, and the outcomes are kept until it has: The disk is full. pushctl doctor"))
        #expect(
            WorkerNews.line(.storeFailed(QueueError(.failed, "It is damaged."))).hasPrefix(
                "the queue cannot be used: It is damaged."))
        #expect(WorkerNews.line(.queueLost(QueueError(.lost, "It is gone."))) == "the queue was lost: It is gone.")
        #expect(WorkerNews.line(.leaseLost).contains("nothing is pushed"))
    }

    @Test func aStopNoticeTellsWhatBecomesOfTheRest() {
        let line = StopNotice.line(.terminate, underWay: 2, drain: .seconds(10), rest: "in doubt")
        #expect(line?.hasSuffix("another signal after a second leaves them in doubt") == true)
    }
}
