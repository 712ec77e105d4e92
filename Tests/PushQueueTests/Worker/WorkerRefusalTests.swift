import Foundation
import ProcessRuntime
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

/// Pushes that come back unprocessed again and again.
@Suite struct WorkerRefusalTests {
    /// A worker whose only push was refused 19 times and is under way again.
    private func refused(_ facts: WorkerMachine.Facts) -> WorkerHarness {
        var worker = WorkerHarness(room: 256)
        _ = worker.take(facts)
        for round in 0..<19 {
            #expect(worker.end("a", [0], .refused) == [])
            let hold = min(Duration.milliseconds(100) * (1 << min(round, 6)), .seconds(5))
            #expect(worker.machine.holdUntil == worker.now.advanced(by: hold))
            _ = worker.advance(by: hold)
            if worker.machine.beatSent != nil { _ = worker.acknowledge() }
            #expect(worker.machine.flying == 1)
        }
        return worker
    }

    @Test func aPushThatIsRefusedTwentyTimesFailsAndTheHoldsGrow() {
        var worker = refused(.sample("a", 1))
        #expect(worker.end("a", [0], .refused) == [])
        #expect(worker.machine.holdUntil == nil)
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", [0], .done)])
    }

    @Test func onesThatAnEarlierWorkerMayHaveSentStayUnknown() {
        var worker = refused(.sample("a", 1, doubts: 1))
        #expect(worker.end("a", [0], .refused) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle([.of("a", [0], .interrupted, .done)])])
    }

    @Test func anAnswerEndsTheGrowthOfTheHolds() {
        var worker = WorkerHarness(room: 256)
        _ = worker.take(.sample("a", 2))
        _ = worker.end("a", [0], .refused)
        _ = worker.advance(by: .milliseconds(100))
        _ = worker.end("a", [1])
        _ = worker.end("a", [0], .refused)
        #expect(worker.machine.holdUntil == worker.now.advanced(by: .milliseconds(100)))
    }

    @Test func onlyWhatWasAttemptedCountsAsRefused() {
        func ending(_ code: PushError.Code, _ certainty: Certainty) -> WorkerMachine.Ending {
            Result<PushResponse, PushError>.failure(PushError(code, certainty: certainty)).ending(
                deadline: nil, retries: 0, wallClock: 0)
        }
        for code in [PushError.Code.tooManyAttempts, .unprocessed, .streamReset] {
            #expect(ending(code, .unprocessed) == .refused)
        }
        for code in [PushError.Code.timedOut, .cancelled, .overloaded] { #expect(ending(code, .notSent) == .unsent) }
        #expect(ending(.streamReset, .unknown) == .told)
    }

    @Test func anAnswerThatRefusesTheCredentialSaysNothingAboutTheToken() {
        func ending(_ status: Int, _ reason: String) -> WorkerMachine.Ending {
            let response = PushResponse(status: status, body: Array(#"{"reason":"\#(reason)"}"#.utf8))
            return Result<PushResponse, PushError>.success(response).ending(deadline: nil, retries: 0, wallClock: 0)
        }
        for reason in ["BadCertificate", "InvalidProviderToken", "ExpiredProviderToken", "Forbidden", "NotKnownYet"] {
            #expect(ending(403, reason) == .refused)
        }
        for (status, reason) in [(400, "BadPriority"), (400, "BadDeviceToken"), (410, "Unregistered")] {
            #expect(ending(status, reason) == .told)
        }
    }

    @Test func theTimeThatAPNsAsksForIsOneSecondToOneHour() {
        for (text, seconds) in [("0", 1), ("90", 90), ("99999999999", 3_600)] {
            var headers = ResponseHeaders()
            headers.append(name: "retry-after", value: text)
            let result = Result<PushResponse, PushError>.success(PushResponse(status: 429, headers: headers))
            let ending = result.ending(deadline: nil, retries: 9, wallClock: 0)
            #expect(ending == .later(Date(timeIntervalSince1970: Double(seconds))))
        }
    }

    /// Without a time, the pauses double: 1 s before the first retry, 512 s before the tenth.
    @Test func withoutATimeThePausesDouble() {
        var deadline: Date?
        func ending(_ status: Int, _ retries: Int) -> WorkerMachine.Ending {
            Result<PushResponse, PushError>.success(PushResponse(status: status)).ending(
                deadline: deadline, retries: retries, wallClock: 1_000)
        }
        for status in [429, 503] {
            for (retries, seconds) in [(0, 1), (1, 2), (4, 16), (9, 512), (1_000_000, 3_600), (-1, 1)] {
                #expect(ending(status, retries) == .later(Date(timeIntervalSince1970: Double(1 + seconds))))
            }
        }
        for status in [200, 400, 410] { #expect(ending(status, 0) == .told) }
        deadline = Date(timeIntervalSince1970: 4)
        #expect(ending(503, 1) == .later(Date(timeIntervalSince1970: 3)))
        #expect(ending(503, 2) == .told)
    }
}
