import ProcessRuntime
import Testing

@testable import SupervisedPush

@Suite struct RejectionAlarmTests {
    private var alarm = RejectionAlarm()
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    private func at(_ seconds: Int) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

    private func warning(_ answers: Int, _ rejections: [String: Int]) -> RejectionAlarm.Warning {
        RejectionAlarm.Warning(answers: answers, rejections: rejections)
    }

    @Test mutating func theFirstRejectionWarnsIfNothingWasAccepted() {
        #expect(alarm.add(accepted: 0, rejections: ["BadDeviceToken": 1], at(0)) == warning(1, ["BadDeviceToken": 1]))
    }

    @Test mutating func halfOfTheAnswersIsNotMost() {
        #expect(alarm.add(accepted: 5, rejections: ["BadTopic": 5], at(0)) == nil)
        #expect(alarm.add(accepted: 0, rejections: ["BadTopic": 1], at(1)) == warning(11, ["BadTopic": 6]))
    }

    @Test mutating func thereIsOneWarningAMinuteWithTheCountsOfTheMinute() {
        var warnings: [Int] = []
        for second in 0..<300
        where alarm.add(accepted: 1, rejections: ["Unregistered": 1, "BadTopic": 1], at(second)) != nil {
            warnings.append(second)
        }
        #expect(warnings == [0, 60, 120, 180, 240])
        // What is older than a minute does not count; portions have ten seconds.
        let sum = alarm.add(accepted: 0, rejections: ["Unregistered": 1], at(300))
        #expect(sum == warning(151, ["Unregistered": 51, "BadTopic": 50]))
    }

    @Test mutating func aFewRejectionsInALargeFlowDoNotWarnWheneverTheyComeFirst() {
        for second in 0..<600 {
            #expect(alarm.add(accepted: 100, rejections: [:], at(second)) == nil)
            #expect(alarm.add(accepted: 0, rejections: ["Unregistered": 20], at(second)) == nil)
        }
    }

    @Test mutating func whatWasAcceptedLongAgoDoesNotCount() {
        #expect(alarm.add(accepted: 1_000, rejections: [:], at(0)) == nil)
        #expect(alarm.add(accepted: 0, rejections: ["BadTopic": 2], at(30)) == nil)
        #expect(alarm.add(accepted: 0, rejections: ["BadTopic": 1], at(61)) == warning(3, ["BadTopic": 3]))
    }

    @Test mutating func itKeepsAMinuteAndNoMore() {
        for second in 0..<10_000 { #expect(alarm.add(accepted: 1, rejections: [:], at(second * 10)) == nil) }
        #expect(alarm.portionCount <= 8)
    }
}
