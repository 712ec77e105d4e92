import ProcessRuntime
import Testing

@testable import SupervisedPush

@Suite(
    "parity: F4 – the connections of a name share one room: an offer wakes one, and no push waits beside a connection with room"
)
struct WaitingRoomHoldersTests {
    typealias Readiness = RoomHolders.Readiness

    // MARK: Whom an offer wakes

    @Test func anOfferWakesOneWithRoomInTurn() {
        var harness = RoomHarness.with(free: [2, 2])
        #expect(harness.push(1) == ["look 0"])
        #expect(harness.push(2) == ["look 1"])
        #expect(harness.push(3) == [])
        #expect(harness.look(0, free: 2) == ["take 1 2"])
        #expect(harness.look(1, free: 2) == ["take 3"])
        #expect(harness.push(4) == ["look 1"])
    }

    @Test func pushesOfferedTogetherWakeOneWhichWakesTheNextForTheRest() {
        var harness = RoomHarness.with(free: [2, 2])
        #expect(harness.offerTogether((1...5).map { harness.record($0) }) == ["look 0"])
        #expect(harness.look(0, free: 2) == ["take 1 2", "look 1"])
        #expect(harness.look(1, free: 2) == ["take 3 4"])
        #expect(harness.offerTogether([]) == [])
    }

    @Test func pushesOfferedTogetherForOneConnectionWakeThatOne() {
        var harness = RoomHarness.with(free: [2, 2])
        #expect(harness.offerTogether((1...3).map { harness.record($0) }, to: 1) == ["look 1"])
        #expect(harness.look(0, free: 2) == [])
        #expect(harness.look(1, free: 2) == ["take 1 2"])
    }

    @Test func ofPushesOfferedTogetherThoseWithoutRoomAreRefused() {
        var settings = RoomSettings()
        settings.maxWaiting = 2
        var harness = RoomHarness.with(free: [0], settings)
        let records = (1...4).map { harness.record($0) }
        _ = harness.cancel(records[1])
        #expect(
            harness.offerTogether(records) == ["2: withdrawn", "4: full, 2 of 2"])
        #expect(harness.look(0, free: 4) == ["take 1 3"])
    }

    @Test func anOfferWakesNobodyIfNobodyHasRoom() {
        var harness = RoomHarness.with(free: [0, 0])
        #expect(harness.push(1) == [])
        #expect(harness.look(1, free: 1) == ["take 1"])
    }

    @Test func oneWithLateStreamsLooksIfNoneHasFreeOnes() {
        var harness = RoomHarness.with(free: [0, 0])
        let late = Readiness(resettable: 1, mayMakeRoom: true, isUp: true)
        _ = harness.exchange(1, late)
        #expect(harness.push(1) == ["look 1"])
        #expect(harness.exchange(1, late) == ["take 1"])
        #expect(harness.exchange(1, Readiness(isUp: true)) == [])
        #expect(harness.push(2) == [])
    }

    @Test func oneThatMayResetNoneNowLooksOnceAndThenByItself() {
        var harness = RoomHarness.with(free: [0])
        let late = Readiness(mayMakeRoom: true, isUp: true)
        _ = harness.exchange(0, late)
        #expect(harness.push(1) == ["look 0"])
        #expect(harness.exchange(0, late) == [])
        #expect(harness.push(2) == [])
        #expect(harness.exchange(0, Readiness(resettable: 2, mayMakeRoom: true, isUp: true)) == ["take 1 2"])
    }

    @Test func ofTheQuietOnesOneAtATimeAsksWhetherItsLinkLives() {
        var harness = RoomHarness.with(free: [])
        let quiet = Readiness(free: 1, quietAt: harness.now.advanced(by: .seconds(1)), isUp: true)
        for _ in 0..<2 { _ = harness.exchange(harness.room.holders.join(), quiet) }
        #expect(harness.advance(by: .seconds(2)) == [])
        #expect(harness.push(1) == ["look 0"])
        #expect(harness.push(2) == [])
        #expect(harness.exchange(0, Readiness(isUp: true, isAsking: true)) == [])
        #expect(harness.push(3) == [])
        // Its PING was answered; what is left is for the next.
        #expect(harness.look(0, free: 1) == ["take 1", "look 1"])
    }

    @Test func ifTheOneThatAsksGoesDownTheNextAsks() {
        var harness = RoomHarness.with(free: [])
        let quiet = Readiness(free: 1, quietAt: harness.now, isUp: true)
        for _ in 0..<2 { _ = harness.exchange(harness.room.holders.join(), quiet) }
        #expect(harness.push(1) == ["look 0"])
        #expect(harness.exchange(0, Readiness(isUp: true, isAsking: true)) == [])
        #expect(harness.exchange(0, Readiness()) == ["look 1"])
        #expect(harness.exchange(1, Readiness(isUp: true, isAsking: true)) == [])
        #expect(harness.leave(1) == [])
        #expect(harness.look(0, free: 1) == ["take 1"])
    }

    @Test func aPushDoesNotWaitForQuietLinksWhileALinkOfTheOtherKindHasRoom() {
        var harness = RoomHarness.with(free: [0, 0, 0])
        _ = harness.exchange(0, Readiness(isUp: true, isAsking: true))
        _ = harness.exchange(1, Readiness(free: 1, quietAt: harness.now.advanced(by: .seconds(1)), isUp: true))
        _ = harness.look(2, free: 1, isThrottled: true)
        #expect(harness.advance(by: .seconds(2)) == [])
        #expect(harness.push(1) == ["look 2"])
        #expect(harness.look(2, free: 1, isThrottled: true) == ["take 1"])
    }

    @Test func oneThatLeavesPushesWakesTheNext() {
        var harness = RoomHarness.with(free: [1, 2])
        #expect(harness.push(1) == ["look 0"])
        // Its link went down meanwhile.
        #expect(harness.exchange(0, Readiness()) == ["look 1"])
        #expect(harness.exchange(1, Readiness()) == [])
        _ = harness.look(0, free: 0)
        var full = RoomHarness.with(free: [2, 2])
        #expect(full.push(1, 2, 3) == ["look 0", "look 1"])
        #expect(full.look(1, free: 0) == [])
        #expect(full.look(0, free: 1) == ["take 1"])
        #expect(full.look(1, free: 1) == ["take 2"])
    }

    @Test func oneThatWasToldToLookAndEndsWakesTheNext() {
        var harness = RoomHarness.with(free: [1, 1])
        #expect(harness.push(1) == ["look 0"])
        #expect(harness.leave(0) == ["look 1"])
    }

    @Test func timeWakesOneForWhatItMakesReady() {
        var harness = RoomHarness.with(free: [1, 0])
        let policy = PushPolicy(statusRetry: StatusRetryPolicy(retries: 1))
        _ = harness.push(1, policy: policy)
        _ = harness.look(0, free: 1)
        #expect(harness.giveBack(1, as: .answered(PushResponse(status: 503), from: nil)) == [])
        _ = harness.look(1, free: 1)
        #expect(harness.advance(by: .seconds(1)) == ["look 1"])
    }

    // MARK: How much one takes

    @Test func ofSeveralEachTakesItsShare() {
        var harness = RoomHarness.with(free: [1_000, 1_000])
        _ = (UInt64(1)...300).map { harness.push($0) }
        #expect(harness.look(0, free: 1_000).first == taken(1...150))
        #expect(harness.look(1, free: 1_000).first == taken(151...225))
        // The rest is worth another look.
        #expect(harness.look(0, free: 850).first == taken(226...289))
        #expect(harness.look(1, free: 925).first == taken(290...300))
        #expect(harness.room.ready.isEmpty)
    }

    @Test func oneAloneTakesEverything() {
        var harness = RoomHarness.with(free: [1_000])
        _ = (UInt64(1)...300).map { harness.push($0) }
        #expect(harness.look(0, free: 1_000) == [taken(1...300)])
    }

    @Test func whereTheOthersHaveNoRoomOneTakesEverything() {
        var harness = RoomHarness.with(free: [1_000, 0])
        _ = (UInt64(1)...300).map { harness.push($0) }
        #expect(harness.look(0, free: 1_000) == [taken(1...300)])
    }

    private func taken(_ numbers: ClosedRange<UInt64>) -> String {
        "take " + numbers.map { "\($0)" }.joined(separator: " ")
    }

    // MARK: Throttled links

    /// Two connections, the second of them with a throttled link.
    private func mixed(free: Int, throttled: Int) -> RoomHarness {
        var harness = RoomHarness.with(free: [free, 0])
        _ = harness.look(1, free: throttled, isThrottled: true)
        return harness
    }

    @Test func ordinaryPushesPreferLinksThatAreNotThrottledAndSuspectOnesThoseThatAre() {
        var harness = mixed(free: 2, throttled: 2)
        #expect(harness.push(1) == ["look 0"])
        #expect(harness.push(2, isSuspect: true) == ["look 1"])
        #expect(harness.look(1, free: 2, isThrottled: true) == ["take 2"])
        #expect(harness.push(3, isSuspect: true) == ["look 1"])
        #expect(harness.look(0, free: 2) == ["take 1"])
        #expect(harness.look(1, free: 1, isThrottled: true) == ["take 3"])
    }

    @Test func anOrdinaryPushDoesNotWaitWhereOnlyAThrottledLinkHasRoom() {
        var harness = mixed(free: 0, throttled: 1)
        #expect(harness.push(1) == ["look 1"])
        #expect(harness.look(1, free: 1, isThrottled: true) == ["take 1"])
    }

    @Test func aSuspectPushWaitsForAThrottledLinkAsLongAsOneIsUpAndSparesTheOthers() {
        var harness = mixed(free: 1, throttled: 0)
        #expect(harness.push(1, isSuspect: true) == [])
        #expect(harness.look(0, free: 1) == [])
        #expect(harness.look(1, free: 1, isThrottled: true) == ["take 1"])
    }

    @Test func noPushWaitsWhereOnlyTheOtherKindIsUp() {
        var harness = RoomHarness.with(free: [1])
        #expect(harness.push(1, isSuspect: true) == ["look 0"])
        #expect(harness.look(0, free: 1) == ["take 1"])
        harness = mixed(free: 1, throttled: 1)
        _ = harness.exchange(0, Readiness())
        #expect(harness.push(1) == ["look 1"])
        #expect(harness.look(1, free: 1, isThrottled: true) == ["take 1"])
    }

    @Test func whatIsLeftForOneKindIsForTheOtherOnceThatIsFull() {
        var harness = mixed(free: 1, throttled: 1)
        #expect(harness.push(1, 2) == ["look 0"])
        #expect(harness.look(0, free: 1) == ["take 1", "look 1"])
        #expect(harness.look(1, free: 1, isThrottled: true) == ["take 2"])
    }

    @Test func bothKindsAreTakenInCallOrder() {
        var harness = RoomHarness.with(free: [0])
        _ = harness.push(1, isSuspect: true) + harness.push(2) + harness.push(3, isSuspect: true) + harness.push(4)
        #expect(harness.look(0, free: 3) == ["take 1 2 3"])
    }

    // MARK: Bound to one connection

    @Test func aPushCalledByAPidIsForThatConnectionOnly() {
        var harness = RoomHarness.with(free: [1, 1])
        #expect(harness.push(1, to: 1) == ["look 1"])
        #expect(harness.look(0, free: 1) == [])
        #expect(harness.look(1, free: 1) == ["take 1"])
    }

    @Test func aPushForOneConnectionWakesItOnceItHasRoom() {
        var harness = RoomHarness.with(free: [1, 0])
        _ = harness.push(1, 2, to: 1)
        #expect(harness.look(1, free: 0) == [])
        #expect(harness.look(0, free: 1) == [])
        #expect(harness.look(1, free: 1) == ["take 1"])
    }

    @Test func onceItsConnectionEndsAnyoneMayTakeIt() {
        var harness = RoomHarness.with(free: [2, 0])
        _ = harness.push(1, to: 1)
        _ = harness.look(1, free: 0)
        #expect(harness.leave(1) == ["look 0"])
        #expect(harness.look(0, free: 2) == ["take 1"])
        // A connection that is gone binds nothing.
        #expect(harness.push(2, to: 1) == ["look 0"])
    }

    @Test func onceItsConnectionLeavesAnyoneMayTakeIt() {
        var harness = RoomHarness.with(free: [1, 0])
        _ = harness.push(1, to: 1)
        _ = harness.look(1, free: 0)
        #expect(harness.beginLeaving(1) == ["look 0"])
        #expect(harness.look(0, free: 1) == ["take 1"])
    }

    @Test func aConnectionThatLeavesBindsNothing() {
        var harness = RoomHarness.with(free: [1, 1])
        #expect(harness.beginLeaving(1) == [])
        #expect(harness.push(1, to: 1) == ["look 0"])
        #expect(harness.look(0, free: 1) == ["take 1"])
    }

    @Test func aPushThatWaitsForItsTurnIsBoundNoLongerThanItsConnectionLives() {
        var harness = RoomHarness.with(free: [2, 1])
        let ordered = PushPolicy(ordered: .perDevice)
        #expect(harness.push(1, 2, policy: ordered, to: 1) == ["look 1"])
        #expect(harness.look(1, free: 1) == ["take 1"])
        #expect(harness.leave(1, harness.changes(returning: [1], .unanswered(isRefusal: false))) == ["look 0"])
        // Its number is another's now.
        #expect(harness.room.holders.join() == 1)
        #expect(harness.look(0, free: 2) == ["take 1"])
        #expect(harness.exchange(0, Readiness(free: 2, isUp: true), ended: [1]) == ["take 2"])
    }

    @Test func aPushThatIsSentAgainForItsTokenStaysWithItsConnection() {
        var harness = RoomHarness.with(free: [1, 0])
        _ = harness.push(1)
        _ = harness.look(0, free: 1)
        _ = harness.look(1, free: 1)
        #expect(harness.giveBack(1, as: .needsFreshLink) == [])
        #expect(harness.look(1, free: 1) == [])
        #expect(harness.look(0, free: 1) == ["take 1"])
        _ = harness.giveBack(1, as: .needsFreshLink)
        #expect(harness.leave(0) == ["look 1"])
        #expect(harness.look(1, free: 1) == ["take 1"])
    }

    // MARK: Leaving

    @Test func aConnectionThatLeavesTakesNothing() {
        var harness = RoomHarness.with(free: [1, 1])
        #expect(harness.push(1) == ["look 0"])
        #expect(harness.beginLeaving(0) == ["look 1"])
        #expect(harness.look(0, free: 1) == ["done"])
        #expect(harness.look(1, free: 1) == ["take 1"])
        #expect(harness.push(2) == [])
    }

    @Test func whatALeavingConnectionGivesBackIsForTheOthers() {
        var harness = RoomHarness.with(free: [3, 0])
        _ = harness.push(1, 2, 3)
        _ = harness.look(0, free: 3)
        _ = harness.beginLeaving(0)
        _ = harness.look(1, free: 3)
        #expect(harness.giveBack(1, as: .needsFreshLink) == ["look 1", "done"])
        #expect(harness.giveBack(2, as: .unanswered(isRefusal: true)) == ["done"])
        #expect(harness.giveBackUntouched(3) == ["done"])
        #expect(harness.look(1, free: 3) == ["take 1 2 3"])
    }
}
