import Testing

@testable import SupervisedPush

@Suite("parity: E21, F5, F15 – what comes back to the room waits in its place, pauses, or ends")
struct WaitingRoomReturnTests {
    typealias Readiness = RoomHolders.Readiness
    private let ordered = PushPolicy(ordered: .perDevice)

    // MARK: Untouched

    @Test func whatWasNotWrittenStandsInItsPlaceAndCountsAgain() {
        var harness = RoomHarness.with(free: [2])
        _ = harness.push(1, 2, 3)
        #expect(harness.look(0, free: 2) == ["take 1 2"])
        #expect(harness.room.load == ConnectionLoad(inFlight: 2, waiting: 1, retrying: 0, limit: 10_000))
        #expect(harness.giveBackUntouched(2, 1) == [])
        #expect(harness.room.load == ConnectionLoad(inFlight: 0, waiting: 3, retrying: 0, limit: 10_000))
        #expect(harness.look(0, free: 3) == ["take 1 2 3"])
    }

    @Test func whatWasWrittenStandsInItsPlaceAndDoesNotCount() {
        var harness = RoomHarness.with(free: [1])
        _ = harness.push(1, 2)
        _ = harness.look(0, free: 1)
        #expect(harness.giveBack(1, as: .unanswered(isRefusal: false)) == [])
        #expect(harness.room.load == ConnectionLoad(inFlight: 0, waiting: 1, retrying: 1, limit: 10_000))
        #expect(harness.look(0, free: 2) == ["take 1 2"])
    }

    @Test func whatComesBackInAnyOrderStandsInCallOrder() {
        var harness = RoomHarness.with(free: [0])
        for number in UInt64(1)...6 { _ = harness.push(number) }
        #expect(harness.look(0, free: 5) == ["take 1 2 3 4 5"])
        _ = harness.giveBack(4, 2, as: .unanswered(isRefusal: false))
        _ = harness.giveBack(1, as: .unanswered(isRefusal: false))
        _ = harness.giveBack(5, 3, as: .unanswered(isRefusal: false))
        #expect(harness.look(0, free: 9) == ["take 1 2 3 4 5 6"])
    }

    @Test func whatWasCancelledMeanwhileEnds() {
        var harness = RoomHarness.with(free: [1])
        let record = harness.record(1)
        _ = harness.offer(record)
        _ = harness.look(0, free: 1)
        #expect(harness.cancel(record) == ["tell 0"])
        #expect(harness.giveBack(1, as: .unanswered(isRefusal: true)) == ["end 1: cancelled not_sent"])
        #expect(harness.room.isDone)
    }

    @Test func whoHasACancelledPushIsToldOnce() {
        var harness = RoomHarness.with(free: [1])
        let record = harness.record(1)
        _ = harness.offer(record)
        _ = harness.look(0, free: 1)
        #expect(harness.cancel(record) == ["tell 0"])
        #expect(harness.cancel(record) == [])
        _ = harness.exchange(0, Readiness(isUp: true), ended: [1])
        #expect(harness.cancel(record) == [])
    }

    @Test func whatWasAnsweredHasItsAnswerAlsoIfItWasCancelledMeanwhile() {
        var harness = RoomHarness.with(free: [1])
        let record = harness.record(1, PushPolicy(statusRetry: StatusRetryPolicy(retries: 2)))
        _ = harness.offer(record)
        _ = harness.look(0, free: 1)
        #expect(harness.cancel(record) == ["tell 0"])
        #expect(harness.giveBack(1, as: .answered(PushResponse(status: 503), from: nil)) == ["end 1: 503"])
        #expect(harness.room.isDone)
    }

    @Test func whatWasAnsweredHasItsAnswerAlsoIfTheNameIsClosedMeanwhile() {
        var harness = RoomHarness.with(free: [1])
        _ = harness.offer(harness.record(1, PushPolicy(statusRetry: StatusRetryPolicy(retries: 2))))
        _ = harness.look(0, free: 1)
        _ = harness.close(in: .zero)
        #expect(harness.giveBack(1, as: .answered(PushResponse(status: 503), from: nil)).first == "end 1: 503")
        #expect(harness.room.isDone)
    }

    @Test func whatExpiredMeanwhileEnds() {
        var harness = RoomHarness.with(free: [1])
        _ = harness.push(1, timeout: .seconds(1))
        _ = harness.look(0, free: 1)
        #expect(harness.advance(by: .seconds(1)) == [])
        #expect(harness.giveBackUntouched(1) == ["end 1: timed_out not_sent"])
        #expect(harness.room.isDone)
    }

    @Test func whatComesBackAfterTheNamesEndEndsLikeTheRest() {
        var harness = RoomHarness.with(free: [2])
        _ = harness.push(1, 2, 3)
        _ = harness.look(0, free: 2)
        #expect(
            harness.change { room in room.endAll(.givenUp) } == ["end 3: process_failed not_sent"]
        )
        #expect(harness.giveBackUntouched(1) == ["end 1: process_failed not_sent", "done"])
        #expect(
            harness.giveBack(2, as: .unanswered(isRefusal: false)) == [
                "end 2: process_failed not_sent", "look 0", "done",
            ])
        #expect(harness.room.isDone)
    }

    @Test func whatAFailedProcessHadWaitsForItsSuccessor() {
        var harness = RoomHarness.with(free: [2])
        _ = harness.push(1, 2, 3)
        #expect(harness.look(0, free: 2) == ["take 1 2"])
        #expect(harness.leave(0, harness.changes(returning: [2, 1], .unanswered(isRefusal: false))) == [])
        #expect(harness.room.load == ConnectionLoad(inFlight: 0, waiting: 1, retrying: 2, limit: 10_000))
        #expect(harness.look(harness.room.holders.join(), free: 3) == ["take 1 2 3"])
    }

    // MARK: Refused streams

    /// Two pushes whose streams the connection 0 refused twice; 1 has no room.
    private func refusedTwice() -> RoomHarness {
        var harness = RoomHarness.with(free: [2, 0])
        _ = harness.push(1, 2)
        _ = harness.look(0, free: 2)
        // The first refusal is answered at once.
        #expect(harness.giveBack(1, 2, as: .unanswered(isRefusal: true)) == [])
        #expect(harness.look(0, free: 2) == ["take 1 2"])
        #expect(harness.giveBack(1, 2, as: .unanswered(isRefusal: true)) == [])
        #expect(harness.look(0, free: 2) == [])
        return harness
    }

    @Test("parity: E20 – a peer that refuses every stream does not make room for more pushes than the limits allow")
    func whatIsRefusedAgainAndAgainIsBounded() {
        var settings = RoomSettings()
        settings.maxWaiting = 4
        var harness = RoomHarness.with(free: [0], settings)
        for number in UInt64(1)...40 {
            _ = harness.offer(harness.record(number), .nobody, .reject)
            // All that is ready is written, and refused. Now and then the pauses end.
            _ = harness.look(0, free: 1_000)
            let changes = harness.changes(returning: harness.held.keys.sorted(), .unanswered(isRefusal: true))
            _ = harness.exchange(0, RoomHolders.Readiness(isUp: true), changes)
            if number % 10 == 0 { _ = harness.advance(by: .seconds(5)) }
        }
        #expect(harness.room.table.count <= 8 && harness.room.load.waiting == 0)
        let refused = harness.room.refusedAgain
        #expect(harness.offer(harness.record(99), .nobody, .reject) == ["99: full, \(refused) of 4"])
        // Once the peer answers, each that was accepted ends, and there is room again.
        _ = harness.advance(by: .seconds(5))
        _ = harness.look(0, free: 1_000)
        #expect(harness.held.count == refused)
        _ = harness.exchange(0, Readiness(isUp: true), ended: Array(harness.held.keys))
        #expect(harness.room.isDone && harness.room.refusedAgain == 0)
        #expect(harness.offer(harness.record(100), .nobody, .reject) == [])
    }

    @Test func theSecondRefusalPausesUntilTimePasses() {
        var harness = refusedTwice()
        #expect(harness.advance(by: .milliseconds(99)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["look 0"])
        #expect(harness.look(0, free: 2) == ["take 1 2"])
    }

    @Test func aStreamThatSettlesMakesRoomForOne() {
        var harness = refusedTwice()
        var changes = RoomChanges()
        changes.settledStreams = 1
        #expect(harness.exchange(1, Readiness(isUp: true), changes) == [])
        #expect(harness.exchange(0, Readiness(free: 2, isUp: true), changes) == ["take 1"])
        #expect(harness.exchange(0, Readiness(free: 1, isUp: true), changes) == ["take 2"])
    }

    @Test func settingsMakeRoomForAll() {
        var harness = refusedTwice()
        var changes = RoomChanges()
        changes.hasSettings = true
        #expect(harness.exchange(1, Readiness(isUp: true), changes) == [])
        #expect(harness.exchange(0, Readiness(free: 2, isUp: true), changes) == ["take 1 2"])
    }

    @Test func onceTheOneThatRefusedIsGoneTimeAloneEndsThePause() {
        var harness = refusedTwice()
        #expect(harness.leave(0) == [])
        #expect(harness.room.holders.join() == 0)
        var changes = RoomChanges()
        changes.hasSettings = true
        #expect(harness.exchange(0, Readiness(free: 2, isUp: true), changes) == [])
        #expect(harness.advance(by: .milliseconds(100)) == ["look 0"])
    }

    // MARK: Turns of devices

    @Test func oneToADeviceIsOnItsWayWhicheverConnectionTakesIt() {
        var harness = RoomHarness.with(free: [1, 1])
        #expect(harness.push(1, 2, policy: ordered) == ["look 0"])
        #expect(harness.push(3, policy: ordered, device: 1) == ["look 1"])
        #expect(harness.look(1, free: 5) == ["take 1 3"])
        #expect(harness.look(0, free: 5) == [])
        // However it ended, also unknown: its turn is over.
        #expect(harness.exchange(1, Readiness(isUp: true), ended: [1]) == ["look 0"])
        #expect(harness.look(0, free: 5) == ["take 2"])
    }

    @Test func theTurnStaysWithAPushThatComesBackWhileConnectionsComeAndGo() {
        var harness = RoomHarness.with(free: [1])
        #expect(harness.push(1, 2, policy: ordered) == ["look 0"])
        for _ in 0..<3 {
            #expect(harness.look(0, free: 5) == ["take 1"])
            _ = harness.leave(0, harness.changes(returning: [1], .unanswered(isRefusal: false)))
            #expect(harness.room.holders.join() == 0)
        }
        #expect(harness.look(0, free: 5) == ["take 1"])
        #expect(harness.exchange(0, Readiness(free: 5, isUp: true), ended: [1]) == ["take 2"])
        #expect(harness.exchange(0, Readiness(free: 5, isUp: true), ended: [2]) == [])
        #expect(harness.room.deviceQueues.isEmpty && harness.room.isDone)
    }

    @Test func whatIsDroppedOrEndsInTheRoomPassesItsTurnOn() {
        var harness = RoomHarness.with(free: [0], RoomSettings(maxWaiting: 2))
        _ = harness.push(1, 2, policy: ordered)
        #expect(harness.offer(harness.record(3), .nobody, .dropOldest) == ["end 1: dropped not_sent"])
        #expect(harness.look(0, free: 5) == ["take 2 3"])
    }

    // MARK: Retries

    @Test func aPauseThatOutlastsTheClosingIsNotMade() {
        var harness = RoomHarness.with(free: [1])
        _ = harness.push(1, policy: PushPolicy(statusRetry: StatusRetryPolicy(retries: 1)))
        _ = harness.look(0, free: 1)
        _ = harness.close(in: .milliseconds(400))
        let lines = harness.giveBack(1, as: .answered(PushResponse(status: 503), from: nil))
        #expect(lines.first == "end 1: 503, not retried: time")
        #expect(lines.last == "done")
    }

    @Test func asManyPauseAsMayWaitForAllMembersTogether() {
        var harness = RoomHarness.with(free: [3], RoomSettings(maxWaiting: 1))
        harness.change { room in room.members = 2 }
        let policy = PushPolicy(statusRetry: StatusRetryPolicy(retries: 1))
        _ = harness.push(1, policy: policy, device: 1) + harness.push(2, policy: policy, device: 2)
        _ = harness.look(0, free: 2)
        _ = harness.push(3, policy: policy, device: 3)
        _ = harness.look(0, free: 1)
        let answer = ReturnedPush.Cause.answered(PushResponse(status: 503), from: nil)
        #expect(harness.giveBack(1, as: answer) == [])
        #expect(harness.giveBack(2, as: answer) == [])
        #expect(harness.giveBack(3, as: answer) == ["end 3: 503, not retried: waiting"])
    }
}
