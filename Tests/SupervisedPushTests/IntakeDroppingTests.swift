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
        #expect(intake.takeExcess(held: 5) == Intake.Excess(count: 2, bytes: 0))
        #expect(intake.takeExcess(held: 3).isNone)
        release(Array(taken.pushes.prefix(2)), intake)
        #expect(intake.load.waiting == 3)
    }

    @Test func betweenTheProcessTakingAndDroppingAPushIsStillLetIn() throws {
        let intake = Intake.served(.init(maxWaiting: 3))
        for _ in 0..<6 { _ = try offer(intake) }
        #expect(intake.take().pushes.count == 6)
        // The process holds all six now, and three of them are as good as gone: the other three are older than what comes in,
        // and go before it.
        let late = try offer(intake)
        #expect(late.dropped.isEmpty)
        for _ in 0..<2 { #expect(try offer(intake).dropped.isEmpty) }
        #expect(try offer(intake).dropped == [late.record.id])
        #expect(intake.takeExcess(held: 6).count == 6)
    }

    @Test func whatIsDueBeyondWhatTheProcessHoldsStaysDue() throws {
        let intake = Intake.served(.init(maxWaiting: 3))
        for _ in 0..<6 { _ = try offer(intake) }
        // The process has taken none of the six yet; it holds nothing that could go.
        #expect(intake.takeExcess(held: 0).isNone)
        #expect(intake.take().hasExcess)
        #expect(intake.takeExcess(held: 6).count == 3)
    }

    /// A process that takes, drops and reports at any moment, and pushes that come in between.
    @Test func howeverCallersAndProcessTakeTurnsTheQueueEndsAtItsBound() throws {
        for seed in 0..<400 {
            var random = SeededGenerator(seed: UInt64(seed))
            let intake = Intake.served(.init(maxWaiting: 5))
            var (offered, gone) = (0, 0)
            var (held, released): ([PushRecord], [PushRecord]) = ([], [])
            var needsLook = false
            func someCome() throws {
                while offered < 60, Int.random(in: 0..<4, using: &random) > 0 {
                    gone += try offer(intake).dropped.count
                    offered += 1
                    needsLook = true
                }
            }
            func report() {
                release(released, intake)
                released = []
            }
            while offered < 60 || needsLook {
                try someCome()
                needsLook = false
                let taken = intake.take()
                try someCome()
                held += taken.pushes
                if taken.hasExcess {
                    report()
                    try someCome()
                    let count = max(0, intake.takeExcess(held: held.count).count)
                    released += held.prefix(count)
                    gone += count
                    held.removeFirst(count)
                }
                try someCome()
                if !needsLook || Bool.random(using: &random) { report() }
            }
            #expect(intake.load.waiting == 5 && gone == 55 && held.count == 5, "seed \(seed)")
        }
    }

    @Test func whatBecameRoomMeanwhileNeedNotGo() throws {
        let intake = Intake.served(.init(maxWaiting: 3))
        for _ in 0..<5 { _ = try offer(intake) }
        let taken = intake.take()
        release([taken.pushes[0]], intake)
        #expect(intake.takeExcess(held: 4).count == 1)
    }

    @Test func bytesHaveToGoToo() throws {
        let intake = Intake.served(.init(maxWaiting: 100, maxWaitingBytes: 3 * Self.size))
        for _ in 0..<4 { _ = try offer(intake) }
        let excess = intake.takeExcess(held: 4)
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
        #expect(intake.takeExcess(held: 1).bytes > 0)
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
        #expect(taken.pushes.count == 20 && intake.takeExcess(held: 20).count == 10)
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
