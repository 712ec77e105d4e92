import Foundation
import ProcessRuntime
import SupervisedPush
import Testing

@testable import PushQueue

/// Answers that judge the sender or the service: nothing is pushed, but a probe now and then.
@Suite("parity: F21 – answers about the sender or the service pause a worker and cost no delivery")
struct WorkerPauseTests {
    private func end(
        _ worker: inout WorkerHarness, _ tokens: some Sequence<Int>, _ ending: WorkerMachine.Ending,
        _ evidence: WorkerMachine.Evidence
    ) -> [WorkerMachine.Action] {
        worker.feed(
            .ended(
                tokens.map { WorkerMachine.Ended(TakenEntry.Key("a"), index: $0, ending: ending, evidence: evidence) }))
    }

    /// What a worker pushes in this time, a heartbeat acknowledged whenever it is due.
    private func pushes(_ worker: inout WorkerHarness, for time: Duration) -> [[Int]] {
        var pushed: [[Int]] = []
        let end = worker.now.advanced(by: time)
        while let wake = worker.machine.nextWake, wake <= end {
            for action in worker.advance(by: worker.now.duration(to: max(wake, worker.now))) {
                if case .push(_, let tokens, _) = action { pushed.append(tokens) }
            }
            if worker.machine.beatSent != nil { _ = worker.acknowledge() }
        }
        worker.now = end
        return pushed
    }

    @Test func aPauseProbesWithOneToken() {
        var worker = WorkerHarness(room: 256)
        _ = worker.take(.sample("a", 4))
        _ = end(&worker, 0..<4, .refused, .refused(.sender))
        #expect(worker.news == [.paused(.sender, nextProbe: .seconds(1))])
        #expect(pushes(&worker, for: .milliseconds(999)) == [])
        #expect(pushes(&worker, for: .milliseconds(1)) == [[0]])
        _ = end(&worker, [0], .refused, .refused(.sender))
        #expect(worker.news.last == .paused(.sender, nextProbe: .seconds(2)))
        #expect(pushes(&worker, for: .milliseconds(1_999)) == [])
        #expect(pushes(&worker, for: .milliseconds(1)) == [[1]])
        // The probe is accepted: all others go.
        let actions = end(&worker, [1], .told, .accepted)
        #expect(worker.news.last == .resumed)
        let others = actions.compactMap { action -> [Int]? in
            if case .push(_, let tokens, _) = action { tokens.sorted() } else { nil }
        }
        #expect(others == [[0, 2, 3]])
    }

    @Test func aRefusalAmongAcceptancesPausesNothing() {
        var worker = WorkerHarness(room: 256)
        _ = worker.take(.sample("a", 6))
        _ = end(&worker, [0], .told, .accepted)
        _ = end(&worker, [1, 2], .refused, .refused(.service))
        _ = end(&worker, [3], .told, .accepted)
        #expect(worker.news.isEmpty && !worker.machine.pause.stands)
    }

    @Test func whatAWorkerIsTold() {
        func ending(
            _ status: Int, _ reason: String, namesTopic: Bool = false, deadline: Date? = nil, retries: Int = 0
        ) -> WorkerMachine.Ending {
            let response = PushResponse(status: status, body: Array(#"{"reason":"\#(reason)"}"#.utf8))
            return Result<PushResponse, PushError>.success(response).ending(
                namesTopic: namesTopic, deadline: deadline, retries: retries, wallClock: 0)
        }
        func later(_ seconds: Double) -> WorkerMachine.Ending { .later(Date(timeIntervalSince1970: seconds)) }
        // Apple asks for fifteen minutes; a deadline before that makes it a second.
        #expect(ending(500, "InternalServerError") == later(900))
        #expect(ending(500, "InternalServerError", retries: 1) == later(1_800))
        #expect(ending(500, "InternalServerError", retries: 9) == later(3_600))
        #expect(ending(500, "InternalServerError", deadline: Date(timeIntervalSince1970: 899)) == later(1))
        #expect(ending(500, "InternalServerError", deadline: Date(timeIntervalSince1970: 1)) == .told)
        #expect(ending(503, "Shutdown") == later(1) && ending(429, "TooManyRequests") == later(1))
        #expect(ending(429, "TooManyProviderTokenUpdates") == later(1))
        #expect(ending(400, "BadTopic") == .refused && ending(400, "BadTopic", namesTopic: true) == .told)
        #expect(ending(400, "BadPriority") == .told)
    }
}
