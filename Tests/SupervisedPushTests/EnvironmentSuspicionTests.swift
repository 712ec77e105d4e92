import ProcessRuntime
import Testing

@testable import SupervisedPush

@Suite struct EnvironmentSuspicionTests {
    private func suspicion(_ answers: [(count: Int, isBad: Bool)]) -> EnvironmentSuspicion {
        var suspicion = EnvironmentSuspicion()
        for (count, isBad) in answers {
            if isBad { for _ in 0..<count { suspicion.countBad() } } else { suspicion.countOthers(count) }
        }
        return suspicion
    }

    @Test func fiftyAnswersAreNeeded() {
        #expect(!suspicion([(49, true)]).isSuspected)
        #expect(suspicion([(50, true)]).isSuspected)
        #expect(suspicion([(1, false), (49, true)]).isSuspected)
    }

    @Test func moreThanHalfMustBeBad() {
        #expect(!suspicion([(30, true), (30, false)]).isSuspected)
        #expect(suspicion([(31, true), (30, false)]).isSuspected)
        #expect(!suspicion([(50, false), (50, true)]).isSuspected)
        #expect(suspicion([(49, false), (51, true)]).isSuspected)
    }

    @Test func theLastHundredCount() {
        #expect(suspicion([(1_000_000, false), (51, true)]).isSuspected)
        #expect(!suspicion([(1_000_000, false), (50, true)]).isSuspected)
        #expect(suspicion([(500, true), (49, false)]).isSuspected)
        #expect(!suspicion([(500, true), (50, false)]).isSuspected)
        #expect(!suspicion([(500, true), (1_000, false)]).isSuspected)
        // What left the hundred has left it.
        #expect(!suspicion([(500, true), (100, false), (50, true)]).isSuspected)
        #expect(suspicion([(500, true), (100, false), (51, true)]).isSuspected)
    }

    /// Against a list of the last hundred.
    @Test func itIsWhatCountingSays() {
        var suspicion = EnvironmentSuspicion()
        var answers: [Bool] = []
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<5_000 {
            if Bool.random(using: &generator) {
                suspicion.countBad()
                answers.append(true)
            } else {
                let count = Int.random(in: 0...3, using: &generator)
                suspicion.countOthers(count)
                answers += Array(repeating: false, count: count)
            }
            let latest = answers.suffix(100)
            #expect(suspicion.isSuspected == (latest.count >= 50 && latest.count { $0 } * 2 > latest.count))
        }
    }
}
