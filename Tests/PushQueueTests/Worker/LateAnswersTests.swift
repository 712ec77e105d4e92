import ProcessRuntime
import Testing

@testable import PushQueue
@testable import SupervisedPush

@Suite struct LateAnswersTests {
    private let key = TakenEntry.Key("a")
    private let token = DeviceToken.sample
    private let timeout = PushError(.timedOut, .process, .unknown, pushID: PushID(7), deadline: .deadline, "Too late.")

    private func status(_ result: Result<PushResponse, PushError>?) -> String? {
        switch result {
        case .success(let response): "\(response.status)"
        case .failure(let error): "\(error.code) \(error.certainty)"
        case nil: nil
        }
    }

    @Test func aTimeoutIsHeldUntilTheLateAnswer() {
        var late = LateAnswers()
        #expect(status(late.result(of: .failure(timeout), key, 3, attempts: 2)) == nil)
        let ended = late.take(LateResponse(.answered(PushResponse(status: 410)), to: token, pushID: PushID(7)))
        #expect(ended?.push.key == key && ended?.push.index == 3 && ended?.push.attempts == 2)
        #expect(status(ended?.result) == "410")
        #expect(late.takeAll().isEmpty)
    }

    @Test func theLateAnswerMayBeHeardOfFirst() {
        var late = LateAnswers()
        #expect(late.take(LateResponse(.unprocessed, to: token, pushID: PushID(7))) == nil)
        #expect(status(late.result(of: .failure(timeout), key, 3, attempts: 1)) == "unprocessed unprocessed")
        #expect(status(late.result(of: .failure(timeout), key, 3, attempts: 1)) == nil)
    }

    @Test func withoutALateAnswerItStaysUnknown() {
        var late = LateAnswers()
        _ = late.result(of: .failure(timeout), key, 3, attempts: 1)
        #expect(status(late.take(LateResponse(.noAnswer, to: token, pushID: PushID(7)))?.result) == "timed_out unknown")
        _ = late.result(of: .failure(timeout), key, 4, attempts: 1)
        #expect(late.takeAll().map(\.index) == [4])
    }

    @Test func aProcessThatEndsTakesOnlyItsOwnAnswersWithIt() {
        var late = LateAnswers()
        let processes = [ProcessID(), ProcessID()]
        for (index, process) in processes.enumerated() {
            let error = PushError(
                .timedOut, .process, .unknown, pushID: PushID(UInt64(index)),
                streamID: PushStreamID(process: process, generation: 1, stream: 1), "Too late.")
            _ = late.result(of: .failure(error), key, index, attempts: 1)
        }
        #expect(late.takeAll(of: processes[1]).map(\.index) == [1])
        #expect(late.takeAll().map(\.index) == [0])
    }

    @Test func otherResultsAreNotHeld() {
        var late = LateAnswers()
        #expect(status(late.result(of: .success(PushResponse(status: 200)), key, 0, attempts: 1)) == "200")
        let unsent = PushError(.timedOut, .process, .notSent, pushID: PushID(7), "Too late.")
        #expect(status(late.result(of: .failure(unsent), key, 0, attempts: 1)) == "timed_out not_sent")
    }

    @Test func answersToThePushesOfOthersAreBounded() {
        var late = LateAnswers()
        for number in 0...LateAnswers.mostEarly {
            _ = late.take(LateResponse(.noAnswer, to: token, pushID: PushID(UInt64(number + 7))))
        }
        // The answer to this push is not kept any more, so it is not waited for.
        #expect(status(late.result(of: .failure(timeout), key, 3, attempts: 1)) == "timed_out unknown")
        #expect(late.takeAll().isEmpty)
    }

    @Test func answersThatMayHaveBeenDroppedAreNotWaitedFor() {
        var late = LateAnswers()
        late.drop(upTo: PushID(7))
        late.drop(upTo: PushID(6))
        #expect(status(late.result(of: .failure(timeout), key, 3, attempts: 1)) == "timed_out unknown")
        let next = PushError(.timedOut, .process, .unknown, pushID: PushID(8), deadline: .deadline, "Too late.")
        #expect(status(late.result(of: .failure(next), key, 4, attempts: 1)) == nil)
    }
}

extension DeviceToken {
    fileprivate static let sample = try? DeviceToken(String(repeating: "ab", count: 32))
}
