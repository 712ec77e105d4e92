import Locking
import Testing

@testable import SupervisedPush

@Suite("parity: F4 – one byte budget for all connections of a runtime")
struct ByteBudgetTests {
    private static let times = PushTimes(
        timeout: .seconds(10), timeoutFromCall: nil, deadline: nil, expiration: nil)

    private func offer(
        _ intake: Intake, _ outcome: OutcomeSink = .nobody, _ whenFull: WhenFull = .wait
    ) throws(PushError) -> PushRecord {
        let record = intake.issue(MachineSamples.push, Self.times, PushPolicy(), RequestDefaults())
        try intake.offer(record, outcome, whenFull)
        return record
    }

    private func release(_ records: [PushRecord], _ intake: Intake, inFlight: Int = 0) {
        var changes = IntakeChanges()
        changes.released = records
        intake.update(&changes, inFlight: inFlight, unsettled: inFlight)
    }

    @Test func aChunkIsGrantedWhereThereIsOneAndElseWhatIsNeeded() {
        let budget = ByteBudget(limit: 1 << 20)
        #expect(budget.chunk == 1_024)
        #expect(budget.reserve(100) == 1_024)
        #expect(budget.reserve((1 << 20) - 1_124) == (1 << 20) - 1_124)
        #expect(budget.reserve(100) == 100)
        #expect(budget.reserve(1) == 0)
        #expect(budget.free == 0)
    }

    @Test func whoWaitsIsCalledInOrderOnceThereIsEnough() {
        let budget = ByteBudget(limit: 1 << 20)
        _ = budget.reserve(1 << 20)
        let calls = Locked<[Int]>([])
        #expect(budget.reserve(1_000, orCall: { calls.withLock { $0.append(1) } }) == 0)
        #expect(budget.reserve(10, orCall: { calls.withLock { $0.append(2) } }) == 0)
        budget.giveBack(500)
        // Small needs do not starve a large one that came before.
        #expect(calls.withLock { $0 }.isEmpty)
        budget.giveBack(600)
        #expect(calls.withLock { $0 } == [1, 2])
    }

    @Test func connectionsShareItAndAnIdleOneHoldsNothing() throws {
        let budget = ByteBudget(limit: 1 << 20)
        let intakes = (0..<10).map { _ in Intake(bounds: .init(maxWaiting: 100_000), budget: budget) }
        var records: [[PushRecord]] = Array(repeating: [], count: 10)
        var refusal: PushError?
        filling: while true {
            for (index, intake) in intakes.enumerated() {
                do throws(PushError) { records[index].append(try offer(intake)) } catch {
                    refusal = error
                    break filling
                }
            }
        }
        #expect(refusal?.code == .overloaded && refusal?.certainty == .notSent)
        #expect(refusal?.description.contains("byte budget") == true)
        let bytes = records.joined().reduce(0) { $0 + $1.size }
        // All of it is used, but for what the connections hold in reserve.
        #expect(bytes > (1 << 20) - 10 * 2 * budget.chunk && bytes <= 1 << 20)
        for (index, intake) in intakes.enumerated() { release(records[index], intake, inFlight: 1) }
        #expect(budget.free >= (1 << 20) - 10 * budget.chunk)
        for intake in intakes { release([], intake) }
        #expect(budget.free == 1 << 20)
    }

    @Test func aReleasedIntakeGivesItsPartBack() throws {
        let budget = ByteBudget(limit: 1 << 20)
        do {
            let intake = Intake(bounds: .init(), budget: budget)
            _ = try offer(intake)
            #expect(budget.free < 1 << 20)
        }
        #expect(budget.free == 1 << 20)
    }

    @Test func aParkedCallerOfOneConnectionIsLetInByAnother() throws {
        let budget = ByteBudget(limit: 1 << 20)
        let greedy = Intake(bounds: .init(maxWaiting: 100_000), budget: budget)
        let modest = Intake(bounds: .init(), budget: budget)
        var records: [PushRecord] = []
        while let record = try? offer(greedy) { records.append(record) }
        let parked = try offer(modest, .thread(BlockedCaller()))
        #expect(parked.admission == .parked)
        let told = Locked(false)
        modest.whenRoom { _ in told.withLock { $0 = true } }
        release(Array(records.prefix(1_000)), greedy, inFlight: 1)
        #expect(parked.admission == .admitted)
        #expect(told.withLock { $0 })
    }

    @Test func answersCountUntilTheirCompletionHasReturnedWhetherOrNotTheyFit() throws {
        let budget = ByteBudget(limit: 1 << 20)
        let intake = Intake(bounds: .init(), budget: budget)
        var changes = IntakeChanges()
        changes.undelivered = 1
        changes.undeliveredBytes = 2 << 20
        intake.update(&changes, inFlight: 0, unsettled: 0)
        #expect(budget.free < 0)
        #expect(throws: PushError.self) { try offer(intake) }
        intake.delivered(1, bytes: 2 << 20)
        #expect(budget.free == 1 << 20)
    }
}
