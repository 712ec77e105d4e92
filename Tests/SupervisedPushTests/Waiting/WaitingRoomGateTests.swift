import ProcessRuntime
import Testing

@testable import SupervisedPush

@Suite(
    "parity: F10 – while the credential is refused a call is refused, or tries it; a room that closes ends everything")
struct WaitingRoomGateTests {
    typealias Readiness = RoomHolders.Readiness
    private let refusal = MachineHarness.response(403, .invalidProviderToken)

    /// A room with a connection for each number, where a push was accepted once.
    private func accepted(free: [Int]) -> RoomHarness {
        var harness = RoomHarness.with(free: free)
        harness.judge(PushResponse(status: 200))
        return harness
    }

    /// The same after three refusals in a row.
    private func refused(free: [Int]) -> RoomHarness {
        var harness = accepted(free: free)
        #expect(harness.judge(refusal) == [] && harness.judge(refusal) == [])
        #expect(harness.judge(refusal) == ["refused, next probe in 1 s"])
        for id in harness.room.holders.ids { _ = harness.exchange(id, Readiness()) }
        return harness
    }

    @Test func aRefusalEndsWhatWaitsAndRefusesCalls() {
        var harness = accepted(free: [0])
        _ = harness.push(1, 2, policy: PushPolicy(ordered: .perDevice))
        _ = harness.judge(refusal) + harness.judge(refusal)
        #expect(
            harness.judge(refusal) == [
                "end 1: credential_refused not_sent", "end 2: credential_refused not_sent",
                "refused, next probe in 1 s",
            ])
        #expect(harness.push(3) == ["3: credential refused"])
        #expect(harness.room.deviceQueues.isEmpty && harness.room.isDone)
    }

    @Test func theFirstPushAfterThePauseTriesIt() {
        var harness = refused(free: [5, 5])
        #expect(harness.advance(by: .milliseconds(999)) == [])
        #expect(harness.push(1) == ["1: credential refused"])
        #expect(harness.advance(by: .milliseconds(1)) == [])
        #expect(harness.push(2) == ["look 0", "probe by 0"])
        #expect(harness.push(3) == ["3: credential refused"])
        #expect(harness.look(1, free: 5) == [])
        #expect(harness.look(0, free: 5) == ["take 2"])
        #expect(harness.judge(PushResponse(status: 200), isProbe: true) == ["works"])
        #expect(harness.exchange(0, Readiness(free: 5, isUp: true), ended: [2]) == [])
        #expect(harness.push(4) == ["look 1"])
    }

    @Test func eachRefusedProbeDoublesThePause() {
        var harness = refused(free: [5])
        for seconds in [2, 4, 8] {
            _ = harness.advance(by: .seconds(seconds / 2))
            #expect(harness.push(UInt64(seconds)) == ["look 0", "probe by 0"])
            #expect(harness.look(0, free: 5) == ["take \(seconds)"])
            #expect(harness.judge(refusal, isProbe: true) == ["refused, next probe in \(seconds) s"])
            #expect(harness.exchange(0, Readiness(), ended: [UInt64(seconds)]) == [])
        }
    }

    @Test func aProbeThatEndsInTheRoomIsNoProbeAnyMore() {
        var harness = refused(free: [5])
        _ = harness.advance(by: .seconds(1))
        let record = harness.record(1)
        #expect(harness.offer(record) == ["look 0", "probe by 0"])
        #expect(harness.cancel(record) == ["end 1: cancelled not_sent", "probe of 0 is over"])
        #expect(harness.push(2) == ["2: credential refused"])
        #expect(harness.advance(by: .seconds(1)) == [])
        // It was told to look, and has not looked yet.
        #expect(harness.push(3) == ["probe by 0"])
    }

    @Test func aProbeThatFindsNoLinkEnds() {
        var harness = refused(free: [5])
        _ = harness.advance(by: .seconds(1))
        _ = harness.push(1)
        let lines = harness.change { room in room.probeEnded(by: 0) }
        #expect(lines == ["end 1: credential_refused not_sent"])
        #expect(harness.room.isDone && !harness.room.health.isProbing)
    }

    @Test func aProbeThatIsRetriedStaysWithItsConnection() {
        var harness = refused(free: [5, 5])
        _ = harness.advance(by: .seconds(1))
        _ = harness.push(1, policy: PushPolicy(statusRetry: StatusRetryPolicy(retries: 1)))
        #expect(harness.look(0, free: 5) == ["take 1"])
        #expect(harness.giveBack(1, as: .answered(PushResponse(status: 503), from: nil)) == [])
        var ending = harness
        #expect(harness.advance(by: .seconds(1)) == [])
        #expect(harness.look(1, free: 5) == [])
        #expect(harness.look(0, free: 5) == ["take 1"])
        // If its connection has no link any more, it does not wait for another probe.
        let lines = ending.change { room in room.probeEnded(by: 0) }
        #expect(lines == ["end 1: 503"] && ending.room.isDone)
    }

    @Test func aProbeEndsWithItsConnection() {
        var harness = refused(free: [5, 5])
        _ = harness.advance(by: .seconds(1))
        #expect(harness.push(1) == ["look 0", "probe by 0"])
        #expect(harness.leave(0) == ["end 1: credential_refused not_sent", "probe of 0 is over"])
        _ = harness.advance(by: .seconds(1))
        #expect(harness.push(2) == ["look 1", "probe by 1"])
        #expect(harness.look(1, free: 5) == ["take 2"])
        _ = harness.beginLeaving(1)
        #expect(
            harness.giveBack(2, by: 1, as: .unanswered(isRefusal: false)).first == "end 2: credential_refused not_sent")
        #expect(harness.push(3) == ["3: credential refused"])
    }

    @Test func aConnectionThatLeavesTriesNothing() {
        var harness = refused(free: [5, 5])
        _ = harness.beginLeaving(0)
        _ = harness.advance(by: .seconds(1))
        #expect(harness.push(1, to: 0) == ["look 1", "probe by 1"])
    }

    @Test func aPushThatHasToWaitForItsDeviceIsNoProbe() {
        var harness = accepted(free: [1])
        let ordered = PushPolicy(ordered: .perDevice)
        _ = harness.push(1, policy: ordered)
        _ = harness.look(0, free: 1)
        for _ in 0..<3 { harness.judge(refusal) }
        _ = harness.exchange(0, Readiness())
        _ = harness.advance(by: .seconds(1))
        #expect(harness.push(2, policy: ordered) == ["2: credential refused"])
        #expect(harness.push(3, policy: ordered, device: 1) == ["look 0", "probe by 0"])
    }

    @Test func anotherCredentialOpensTheRoomAtOnce() {
        var harness = refused(free: [5])
        #expect(harness.change { room in room.renewCredential() } == ["works"])
        #expect(harness.push(1) == [])
        #expect(harness.exchange(0, Readiness(free: 5, isUp: true)) == ["take 1"])
    }

    @Test func aCredentialThatIsGivenUpIsNeverTriedAgain() {
        var settings = RoomSettings()
        settings.givesUpOnRefusal = true
        var harness = RoomHarness.with(free: [0], settings)
        _ = harness.push(1)
        _ = harness.judge(refusal) + harness.judge(refusal)
        #expect(harness.judge(refusal) == ["end 1: credential_refused not_sent", "refused"])
        #expect(harness.advance(by: .seconds(3_600)) == [])
        #expect(harness.push(2) == ["2: credential refused"])
    }

    @Test func whatComesBackWhileTheCredentialIsRefusedEnds() {
        var harness = accepted(free: [2])
        let retrying = PushPolicy(statusRetry: StatusRetryPolicy(retries: 1))
        _ = harness.push(1, 2, policy: retrying)
        _ = harness.look(0, free: 2)
        for _ in 0..<3 { harness.judge(refusal) }
        #expect(harness.giveBackUntouched(1) == ["end 1: credential_refused not_sent"])
        #expect(harness.giveBack(2, as: .answered(PushResponse(status: 503), from: nil)) == ["end 2: 503"])
    }

    // MARK: Closing

    @Test func whatWaitsHasUntilTheDeadlineAndAllAreToldOnceThatNothingFollows() {
        var harness = RoomHarness.with(free: [1, 0])
        _ = harness.push(1, 2)
        _ = harness.look(0, free: 1)
        #expect(harness.close(in: .seconds(5)) == [])
        #expect(harness.push(3) == ["3: closed"])
        #expect(harness.advance(by: .seconds(5)) == ["end 2: closed not_sent"])
        #expect(harness.exchange(0, Readiness(free: 1, isUp: true), ended: [1]) == ["look 0", "look 1", "done"])
        #expect(harness.look(0, free: 1) == ["done"])
        #expect(harness.look(1, free: 1) == ["done"])
        // Who joins now hears it at once.
        #expect(harness.look(harness.room.holders.join(), free: 1) == ["done"])
    }

    @Test func whatComesBackAfterTheDeadlineEnds() {
        var harness = RoomHarness.with(free: [1])
        _ = harness.push(1)
        _ = harness.look(0, free: 1)
        #expect(harness.close(in: .zero) == [])
        #expect(harness.giveBack(1, as: .unanswered(isRefusal: true)) == ["end 1: closed not_sent", "look 0", "done"])
    }

    @Test func whatComesBackBeforeTheDeadlineGoesOutAgain() {
        var harness = RoomHarness.with(free: [1])
        _ = harness.push(1)
        _ = harness.look(0, free: 1)
        _ = harness.close(in: .seconds(5))
        #expect(harness.giveBack(1, as: .unanswered(isRefusal: true)) == [])
        #expect(harness.look(0, free: 1) == ["take 1"])
    }

    @Test func aSecondCloseMayBringTheDeadlineForward() {
        var harness = RoomHarness.with(free: [0])
        _ = harness.push(1)
        _ = harness.close(in: .seconds(5))
        #expect(harness.close(in: .seconds(9)) == [])
        #expect(harness.room.nextWake == harness.now.advanced(by: .seconds(5)))
        #expect(harness.close(in: .zero) == ["end 1: closed not_sent", "look 0"])
    }

    @Test func aNameThatIsGivenUpEndsEverythingThatWaits() {
        var harness = RoomHarness.with(free: [0])
        _ = harness.push(1, 2, policy: PushPolicy(ordered: .perDevice))
        let lines = harness.change { room in room.endAll(.givenUp) }
        #expect(lines == ["end 1: process_failed not_sent", "end 2: process_failed not_sent", "look 0"])
        #expect(harness.push(3) == ["3: closed"])
    }
}

extension RoomHarness {
    /// An answer is judged by what is known of the credential.
    @discardableResult
    fileprivate mutating func judge(_ response: PushResponse, isProbe: Bool = false) -> [String] {
        change { room in
            _ = room.judge(response, isProbe: isProbe, isReplaced: false)
        }
    }
}
