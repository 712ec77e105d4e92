import PushTransport
import Testing

@testable import SupervisedPush

/// In an overload, refusals that say the same share one error, each with the id of its push.
@Suite struct OverloadErrorTests {
    private let errors = OverloadErrors()
    private let full = ConnectionLoad(inFlight: 1_000, waiting: 10, retrying: 0, limit: 10)

    @Test func theOutageIsAskedAgainWhenTheLoadOrTheStandingChanges() {
        var asked = 0
        func error(_ load: ConnectionLoad, isBudget: Bool = false, _ id: UInt64) -> PushError {
            errors.error(load, isBudget: isBudget, of: PushID(number: id)) {
                asked += 1
                return Outage(cause: LinkFailure(.socket, "Refused."), attempt: asked, nextAttempt: nil)
            }
        }
        #expect(error(full, 1).outage?.attempt == 1)
        let second = error(full, 2)
        #expect(second.outage?.attempt == 1 && second.pushID == PushID(number: 2) && second.load == full)
        let other = ConnectionLoad(inFlight: 999, waiting: 10, retrying: 0, limit: 10)
        #expect(error(other, 3).outage?.attempt == 2)
        let budget = error(other, isBudget: true, 4)
        #expect(budget.outage?.attempt == 3 && budget.description.contains("byte budget"))
        errors.standingChanged()
        let last = error(other, isBudget: true, 5)
        #expect(last.outage?.attempt == 4 && last.pushID == PushID(number: 5))
        #expect(second.outage?.attempt == 1 && second.description.contains("10 of 10 pushes wait, 1000 are in flight"))
    }

    @Test func anErrorOfAnotherKindIsNoOverload() {
        let dropped = PushError.dropped(PushID(number: 1), load: full)
        #expect(dropped.load == full && !dropped.isOverloaded(full, isBudget: false))
    }
}
