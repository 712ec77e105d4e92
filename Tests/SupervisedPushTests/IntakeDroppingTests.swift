import Testing

@testable import SupervisedPush

@Suite("parity: G4, F4 – dropOldest: a push is let in at the call, and the oldest one that waits goes")
struct IntakeDroppingTests {
    private static let times = PushTimes(
        timeout: .seconds(10), timeoutFromCall: nil, deadline: nil, expiration: nil)
    private static let size = MachineSamples.push.notification.payload.count

    private func offer(
        _ intake: Intake, _ outcome: OutcomeSink = .nobody, _ whenFull: WhenFull = .dropOldest
    ) throws(PushError) -> (record: PushRecord, dropped: [PushID]) {
        let record = intake.issue(MachineSamples.push, Self.times, PushPolicy(), RequestDefaults())
        let admission = try intake.offer(record, outcome, whenFull)
        return (record, admission.dropped.map(\.id))
    }

    private func release(_ records: [PushRecord], _ intake: Intake) {
        var changes = IntakeChanges()
        changes.released = records
        intake.update(&changes, inFlight: 0, unsettled: 0)
    }

    @Test func whileNoProcessLivesTheOldestGoesAtOnce() throws {
        let intake = Intake(bounds: .init(maxWaiting: 3))
        let first = try (0..<3).map { _ in try offer(intake).record.id }
        #expect(try offer(intake).dropped == [first[0]])
        #expect(try offer(intake).dropped == [first[1]])
        #expect(intake.load.waiting == 3)
        let taken = intake.take()
        #expect(taken.pushes.count == 3 && taken.pushes.first?.id == first[2] && !taken.hasExcess)
    }

    @Test func thousandsMayGoWithoutTheListGrowing() throws {
        let intake = Intake(bounds: .init(maxWaiting: 10))
        for _ in 0..<20_000 { _ = try offer(intake) }
        #expect(intake.withState { $0.inbox.count } < 3_000)
        #expect(intake.take().pushes.count == 10)
    }

    @Test func aLivingProcessIsToldHowManyHaveToGo() throws {
        let intake = Intake.served(.init(maxWaiting: 3))
        for _ in 0..<5 { #expect(try offer(intake).dropped.isEmpty) }
        let taken = intake.take()
        #expect(taken.pushes.count == 5 && taken.hasExcess)
        #expect(intake.takeExcess() == Intake.Excess(count: 2, bytes: 0))
        #expect(intake.takeExcess().isNone)
        release(Array(taken.pushes.prefix(2)), intake)
        #expect(intake.load.waiting == 3)
    }

    @Test func betweenTheProcessTakingAndDroppingAPushIsStillLetIn() throws {
        let intake = Intake.served(.init(maxWaiting: 3))
        for _ in 0..<6 { _ = try offer(intake) }
        #expect(intake.take().pushes.count == 6)
        // The process holds all six now, and three of them are as good as gone: here is nothing to drop yet.
        let late = try offer(intake)
        #expect(late.dropped.isEmpty)
        #expect(try offer(intake).dropped == [late.record.id])
        #expect(intake.takeExcess().count == 4)
    }

    @Test func whatBecameRoomMeanwhileNeedNotGo() throws {
        let intake = Intake.served(.init(maxWaiting: 3))
        for _ in 0..<5 { _ = try offer(intake) }
        let taken = intake.take()
        release([taken.pushes[0]], intake)
        #expect(intake.takeExcess().count == 1)
    }

    @Test func bytesHaveToGoToo() throws {
        let intake = Intake.served(.init(maxWaiting: 100, maxWaitingBytes: 3 * Self.size))
        for _ in 0..<4 { _ = try offer(intake) }
        let excess = intake.takeExcess()
        #expect(excess.count <= 0 && excess.bytes == Self.size)
    }

    @Test func whereTheRuntimeIsFullTheConnectionsOwnOldestGoes() throws {
        let budget = ByteBudget(limit: 1 << 20)
        let intake = Intake.served(.init(maxWaiting: 100_000), budget)
        let mine = try offer(intake).record
        let rest = budget.reserve(budget.free - 10)
        while (try? offer(intake, .nobody, .reject)) != nil {}
        let fresh = try offer(intake).record
        #expect(budget.free < 10)
        #expect(intake.takeExcess().bytes > 0)
        release([mine], intake)
        #expect(fresh.admission == .admitted)
        #expect(intake.withState { $0.overdrawn } == 0)
        budget.giveBack(rest)
    }

    @Test func aProcessThatIsAQueuesWorthBehindDoesNotLetTheListGrow() throws {
        let intake = Intake.served(.init(maxWaiting: 10))
        let records = try (0..<1_000).map { _ in try offer(intake) }
        #expect(records[19].dropped.isEmpty && records[20].dropped == [records[0].record.id])
        #expect(intake.load.waiting == 20)
        let taken = intake.take()
        #expect(taken.pushes.count == 20 && intake.takeExcess().count == 10)
    }

    @Test func whereNothingCanGoThePushIsRefused() throws {
        let intake = Intake.served(.init(maxWaiting: 2))
        var changes = IntakeChanges()
        changes.undelivered = 2
        intake.update(&changes, inFlight: 0, unsettled: 0)
        let error = #expect(throws: PushError.self) { try offer(intake) }
        #expect(error?.code == .overloaded)
    }

    @Test func aDroppedCompletionCountsUntilItHasReturned() throws {
        let intake = Intake(bounds: .init(maxWaiting: 1))
        _ = try offer(intake, .completion { _ in })
        #expect(try offer(intake).dropped.count == 1)
        #expect(intake.load.waiting == 2)
        intake.delivered(1, bytes: Self.size)
        #expect(intake.load.waiting == 1)
    }

    @Test func aDroppedPushCannotBeCancelled() throws {
        let intake = Intake(bounds: .init(maxWaiting: 1))
        let first = try offer(intake).record
        _ = try offer(intake)
        #expect(intake.withdraw(first) == nil)
    }

    @Test func whoWaitedForRoomIsNotDropped() throws {
        let intake = Intake(bounds: .init(maxWaiting: 1))
        let first = try offer(intake).record
        let parked = try offer(intake, .thread(BlockedCaller()), .wait).record
        release([first], intake)
        #expect(parked.admission == .admitted)
        #expect(throws: PushError.self) { try offer(intake) }
    }
}
