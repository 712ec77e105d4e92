import Locking
import Testing

@testable import SupervisedPush

@Suite("parity: E21, F4 – the bound is checked at the call, and says how full it is")
struct IntakeTests {
    private static let times = PushTimes(
        timeout: .seconds(10), timeoutFromCall: nil, deadline: nil, expiration: nil)

    private func offer(_ intake: Intake, _ outcome: OutcomeSink = .nobody) throws(PushError) -> PushRecord {
        let record = intake.issue(
            MachineSamples.push, Self.times, PushPolicy(), RequestDefaults(topic: "com.example.app"))
        try intake.offer(record, outcome)
        return record
    }

    @Test func whatDoesNotFitIsRefusedAtTheCall() throws {
        let intake = Intake(bounds: .init(maxWaiting: 2))
        _ = try offer(intake)
        _ = try offer(intake)
        let error = #expect(throws: PushError.self) { try offer(intake) }
        #expect(error?.code == .overloaded)
        #expect(error?.certainty == .notSent)
        #expect(error?.load == PushError.Load(inFlight: 0, waiting: 2, limit: 2))
        #expect(intake.take().pushes.count == 2)
    }

    @Test func bytesAreBoundedToo() throws {
        let size = MachineSamples.push.notification.payload.count
        let intake = Intake(bounds: .init(maxWaiting: 100, maxWaitingBytes: 3 * size))
        for _ in 0..<3 { _ = try offer(intake) }
        #expect(throws: PushError.self) { try offer(intake) }
    }

    @Test func aReleasedPushMakesRoom() throws {
        let intake = Intake(bounds: .init(maxWaiting: 1))
        let record = try offer(intake)
        var changes = IntakeChanges()
        changes.released = [record]
        intake.update(&changes, inFlight: 1, unsettled: 1)
        #expect(intake.load == PushError.Load(inFlight: 1, waiting: 0, limit: 1))
        _ = try offer(intake)
    }

    @Test func blockingCallersParkFirstComeFirstServedUpToTheirBound() throws {
        let intake = Intake(bounds: .init(maxWaiting: 1, maxParked: 2))
        let first = try offer(intake)
        let parked = [try offer(intake, .thread(BlockedCaller())), try offer(intake, .thread(BlockedCaller()))]
        #expect(parked.map(\.admission) == [.parked, .parked])
        #expect(throws: PushError.self) { try offer(intake, .thread(BlockedCaller())) }
        var changes = IntakeChanges()
        changes.released = [first]
        intake.update(&changes, inFlight: 0, unsettled: 0)
        #expect(parked.map(\.admission) == [.admitted, .parked])
        // A form that cannot wait does not pass those that do.
        #expect(throws: PushError.self) { try offer(intake) }
    }

    @Test func aParkedCallerThatGivesUpFreesItsPlace() throws {
        let intake = Intake(bounds: .init(maxWaiting: 1, maxParked: 2))
        let first = try offer(intake)
        let parked = [try offer(intake, .thread(BlockedCaller())), try offer(intake, .thread(BlockedCaller()))]
        var changes = IntakeChanges()
        changes.released = [parked[0]]
        intake.update(&changes, inFlight: 0, unsettled: 0)
        changes.released = [first]
        intake.update(&changes, inFlight: 0, unsettled: 0)
        #expect(parked[1].admission == .admitted)
    }

    @Test func undeliveredOutcomesCount() throws {
        let intake = Intake(bounds: .init(maxWaiting: 2))
        var changes = IntakeChanges()
        changes.undelivered = 2
        intake.update(&changes, inFlight: 0, unsettled: 0)
        #expect(throws: PushError.self) { try offer(intake) }
        intake.delivered(1, bytes: 0)
        _ = try offer(intake)
    }

    @Test func aPushCancelledBeforeItIsOfferedIsRefused() {
        let intake = Intake(bounds: .init())
        let record = intake.issue(MachineSamples.push, Self.times, PushPolicy(), RequestDefaults())
        #expect(intake.withdraw(record) == nil)
        let error = #expect(throws: PushError.self) { try intake.offer(record, .nobody) }
        #expect(error?.code == .cancelled)
        #expect(intake.take().pushes.isEmpty)
    }

    @Test func betweenTwoProcessesACancelledPushIsGivenOutOnce() throws {
        let intake = Intake(bounds: .init())
        let waiting = try offer(intake)
        let unprocessed = try offer(intake)
        _ = intake.take()
        _ = intake.detach(passingOn: [
            PassedOnPush(record: unprocessed, attempts: 1, worst: .unprocessed, isCounted: true), PassedOnPush(waiting),
        ])
        let fresh = try offer(intake)
        #expect(intake.withdraw(unprocessed)?.worst == .unprocessed)
        #expect(intake.withdraw(fresh)?.worst == .notSent)
        #expect(intake.withdraw(fresh) == nil)
        let taken = intake.take()
        #expect(taken.pushes.isEmpty && taken.passedOn.map(\.record.id) == [waiting.id])
        #expect(intake.load.waiting == 1)
    }

    @Test func aCancelledPushIsNotPassedOn() throws {
        let intake = Intake.served()
        let taken = try offer(intake)
        let kept = try offer(intake)
        _ = intake.take()
        let untaken = try offer(intake)
        // The process hears of neither: it fails first.
        #expect(intake.withdraw(taken) == nil && intake.withdraw(untaken) == nil)
        let cancelled = intake.detach(passingOn: [PassedOnPush(taken), PassedOnPush(kept)])
        #expect(cancelled.map(\.record.id) == [taken.id, untaken.id])
        #expect(intake.take().passedOn.map(\.record.id) == [kept.id])
        #expect(intake.load.waiting == 1)
    }

    @Test func aConnectionIsNotIdleWhilePushesWaitToBeSentAgain() throws {
        let intake = Intake.served()
        let record = try offer(intake)
        _ = intake.take()
        var changes = IntakeChanges()
        changes.released = [record]
        let isIdle = Locked(false)
        intake.update(&changes, inFlight: 0, unsettled: 1)
        intake.whenIdle(intake.newWatcher()) { isIdle.withLock { $0 = true } }
        // It fails, and its successor takes what it left.
        _ = intake.detach(passingOn: [PassedOnPush(record: record, attempts: 1, worst: .unprocessed, isCounted: false)])
        #expect(!isIdle.withLock { $0 })
        _ = intake.take()
        #expect(!isIdle.withLock { $0 })
        intake.update(&changes, inFlight: 0, unsettled: 0)
        #expect(isIdle.withLock { $0 })
    }

    @Test func betweenTwoProcessesTheTimeOfPushesIsKept() throws {
        let intake = Intake(bounds: .init())
        func push(timeout: Int) throws -> PushRecord {
            let instant = MonotonicInstant(nanoseconds: 0).advanced(by: .seconds(timeout))
            let record = intake.issue(
                MachineSamples.push,
                PushTimes(timeout: .seconds(timeout), timeoutFromCall: instant, deadline: nil, expiration: nil),
                PushPolicy(), RequestDefaults())
            try intake.offer(record, .nobody)
            return record
        }
        let early = try push(timeout: 1)
        let late = try push(timeout: 3)
        let (expired, next) = intake.takeExpired(MonotonicInstant(nanoseconds: 1_000_000_000))
        #expect(expired.map(\.record.id) == [early.id])
        #expect(next == MonotonicInstant(nanoseconds: 3_000_000_000))
        #expect(intake.take().pushes.map(\.id) == [late.id])
        #expect(intake.load.waiting == 1)
    }

    @Test func aClosedIntakeRefusesAndGivesOutWhatIsLeft() throws {
        let intake = Intake(bounds: .init())
        let record = try offer(intake)
        intake.close()
        #expect(throws: PushError.self) { try offer(intake) }
        #expect(intake.drain().map(\.record.id) == [record.id])
        #expect(intake.load.waiting == 0)
    }

    @Test("parity: E9 – every push has an id of its own")
    func idsAreUnique() throws {
        let intake = Intake(bounds: .init(maxWaiting: 20_000))
        var ids = Set<APNSID>()
        var numbers: [PushID] = []
        for _ in 0..<5_000 {
            let record = try offer(intake)
            if let id = record.apnsID { ids.insert(id) }
            numbers.append(record.id)
        }
        #expect(ids.count == 5_000)
        #expect(numbers == numbers.sorted() && Set(numbers).count == 5_000)
    }
}
