import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

/// Pushes that wait for their device: for the one before them, or because APNs said TooManyRequests.
@Suite struct DeviceOrderTests {
    private let ordered = PushPolicy(ordered: .perDevice)
    private let retrying = PushPolicy(statusRetry: StatusRetryPolicy(retries: 2))

    @Test("parity: F15 – order per device on request")
    func oneIsInFlightPerDevice() {
        var harness = MachineHarness.up()
        #expect(harness.push(1, 2, 3, policy: ordered) == ["submit 1 on 1/1"])
        #expect(harness.push(4, policy: ordered, devices: true) == ["submit 4 on 1/3"])
        #expect(harness.room.table.count == 2)
        #expect(harness.answer(1) == ["finish 1: 200", "submit 2 on 1/5"])
        #expect(harness.answer(2, status: 410) == ["finish 2: 410", "submit 3 on 1/7"])
        #expect(harness.answer(4) == ["finish 4: 200"])
        #expect(harness.answer(3) == ["finish 3: 200"])
        #expect(harness.room.deviceQueues.isEmpty)
    }

    @Test("parity: F11 – order per channel, apart from devices")
    func oneBroadcastIsInFlightPerChannel() throws {
        var harness = MachineHarness.up()
        let notification = MachineSamples.push.notification
        func broadcast(_ number: UInt64, _ channel: String) throws -> PushRecord {
            let template = HeadTemplate(
                notification, for: .broadcast(try ChannelID(channel), bundleID: "com.example.app"))
            return PushRecord(
                id: PushID(number: number), notification, head: RequestHead(template, apnsID: nil),
                times: harness.timeout(.seconds(60)), policy: ordered)
        }
        let records = try [broadcast(1, "AAAA"), broadcast(2, "BBBB"), broadcast(3, "AAAA")]
        #expect(harness.offer(records) == ["submit 1 on 1/1", "submit 2 on 1/3"])
        #expect(harness.push(4, 5, policy: ordered) == ["submit 4 on 1/5"])
        #expect(harness.answer(4) == ["finish 4: 200", "submit 5 on 1/7"])
        #expect(harness.answer(1) == ["finish 1: 200", "submit 3 on 1/9"])
        #expect(records.allSatisfy { $0.push == nil })
    }

    @Test("parity: F11 – what manages channels succeeds with 201 and 204")
    func aCreationAndADeletionSpeakForTheCredential() {
        var harness = MachineHarness.up(wasAccepted: false)
        _ = harness.push(1, 2)
        #expect(
            harness.answer(1, status: 201) == ["finish 1: 201"]
                && harness.room.health.hasBeenAccepted)
        #expect(harness.answer(2, status: 204) == ["finish 2: 204"])
    }

    @Test func pushesThatDoNotAskForItDoNotWait() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: ordered)
        #expect(harness.push(2, policy: PushPolicy()) == ["submit 2 on 1/3"])
    }

    @Test func theTurnIsKeptThroughResendAndRetry() {
        var harness = MachineHarness.up()
        let policy = PushPolicy(ordered: .perDevice, statusRetry: StatusRetryPolicy(retries: 1))
        _ = harness.push(1, 2, policy: policy)
        #expect(harness.close(1, .refusedStream) == ["submit 1 on 1/3 again"])
        #expect(harness.answer(1, status: 503) == [])
        #expect(harness.advance(by: .seconds(1)) == ["submit 1 on 1/5 again"])
        #expect(harness.lose([(1, .notSent)]) == ["reconnecting 1 in 1 s"])
        _ = harness.advance(by: .seconds(1))
        #expect(harness.feed(.settings(MachineHarness.link(2), maxStreams: 9)) == ["up 2", "submit 1 on 2/1 again"])
        #expect(harness.answer(1, link: 2) == ["finish 1: 200", "submit 2 on 2/3"])
    }

    @Test func everyEndPassesTheTurnOn() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: ordered, timeout: .seconds(1))
        _ = harness.push(2, 3, 4, policy: ordered)
        let third = harness.room.table.slots.compactMap { harness.room.table[$0]?.record }
            .first { $0.id.number == 3 }
        // Timed out in flight: late, but its outcome is reported.
        #expect(harness.advance(by: .seconds(1)) == ["finish 1: timed_out unknown", "submit 2 on 1/3"])
        #expect(third.map { harness.feed(.cancel($0)) } == ["finish 3: cancelled not_sent"])
        #expect(harness.close(2, .internalError) == ["finish 2: stream_reset unknown", "submit 4 on 1/5"])
        #expect(harness.answer(1) == ["late 1: 200"])
        #expect(harness.answer(4) == ["finish 4: 200"])
        #expect(harness.room.deviceQueues.isEmpty && harness.machine.table.count == 0)
    }

    @Test func cancellingTheOneWhoseTurnItIsSendsTheNextAtOnce() {
        var harness = MachineHarness.up(limit: 0)
        let first = harness.record(1, policy: ordered, device: 0)
        _ = harness.offer([first])
        _ = harness.push(2, policy: ordered)
        #expect(harness.feed(.settings(MachineHarness.link(1), maxStreams: 0)) == [])
        #expect(harness.feed(.cancel(first)) == ["finish 1: cancelled not_sent"])
        #expect(harness.feed(.settings(MachineHarness.link(1), maxStreams: 1)) == ["submit 2 on 1/1"])
    }

    @Test func deadlinesHoldWhileWaitingForTheTurn() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: ordered)
        _ = harness.push(2, policy: ordered, timeout: .seconds(1))
        #expect(harness.advance(by: .seconds(1)) == ["finish 2: timed_out not_sent"])
        #expect(harness.answer(1) == ["finish 1: 200"])
        #expect(harness.room.deviceQueues.isEmpty)
    }

    @Test func closingAndFailingLoseNoneOfThem() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, 3, policy: ordered)
        #expect(
            harness.feed(.close(deadline: harness.now)) == [
                "finish 2: closed not_sent", "finish 3: closed not_sent", "finish 1: closed unknown", "close 1", "stop",
            ])
        var failing = MachineHarness.up()
        _ = failing.push(1, 2, 3, policy: ordered)
        #expect(failing.fail([LostLink(id: MachineHarness.link(1), streams: [])]) == [])
        #expect(failing.feed(.start) == ["dial 1"])
        #expect(failing.comeUp(link: 1) == ["up 1", "submit 1 on 1/1 again"])
        #expect(failing.answer(1) == ["finish 1: 200", "submit 2 on 1/3"])
    }

    @Test("parity: F5 – a failing machine writes nothing more: a turn that is passed on is not a stream")
    func whatGetsItsTurnInAFailingMachineStillWaits() {
        var harness = MachineHarness.up()
        _ = harness.push(9, policy: ordered)
        _ = harness.answer(9)
        _ = harness.push(1, policy: ordered)
        _ = harness.push(2, policy: ordered)
        #expect(harness.goAway() == ["draining 1", "dial 2"])
        #expect(harness.comeUp(link: 2) == ["up 2"])
        // The drained link goes first, and its push ends: the turn goes to the next, for which the other link has room.
        let lost = [
            LostLink(
                id: MachineHarness.link(1),
                streams: [LostStream(slot: harness.slots[1] ?? -1, fate: .written, answer: nil)]),
            LostLink(id: MachineHarness.link(2), streams: []),
        ]
        #expect(harness.fail(lost) == ["finish 1: connection_lost unknown"])
        #expect(
            harness.room.table.count == 1
                && harness.room.load == ConnectionLoad(inFlight: 0, waiting: 1, retrying: 0, limit: 10_000)
        )
        #expect(harness.feed(.start) == ["dial 1"])
        #expect(harness.comeUp(link: 1) == ["up 1", "submit 2 on 1/1"])
    }

    @Test func tenThousandToOneDeviceGoOneByOne() {
        var harness = MachineHarness.up()
        var lines = harness.offer((UInt64(1)...10_000).map { harness.record($0, policy: ordered, device: 0) })
        var strangers = 0
        for number in UInt64(1)...10_000 {
            if lines.last != "submit \(number) on 1/\(2 * number - 1)" { strangers += 1 }
            lines = harness.answer(number)
        }
        #expect(strangers == 0)
        #expect(harness.machine.table.count == 0)
    }

    // MARK: TooManyRequests

    @Test func afterTooManyRequestsLaterPushesToThatDeviceWaitAndOthersDoNot() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: retrying)
        #expect(harness.answer(1, status: 429, .tooManyRequests) == [])
        #expect(harness.push(2, 3, policy: retrying) == [])
        #expect(harness.push(4, policy: retrying, devices: true) == ["submit 4 on 1/3"])
        #expect(harness.advance(by: .milliseconds(999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["submit 1 on 1/5 again"])
        // Its answer opens the device; the others follow one by one.
        #expect(harness.answer(1) == ["finish 1: 200", "submit 2 on 1/7"])
        #expect(harness.room.throttle.isEmpty)
        #expect(harness.answer(2) == ["finish 2: 200", "submit 3 on 1/9"])
        #expect(harness.push(5, policy: retrying) == ["submit 5 on 1/11"])
    }

    @Test func aFurtherTooManyRequestsDoublesTheWait() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: retrying)
        _ = harness.answer(1, status: 429)
        #expect(harness.push(2, policy: retrying) == [])
        #expect(harness.advance(by: .seconds(1)).count == 1)
        #expect(harness.answer(1, status: 429) == [])
        #expect(harness.advance(by: .milliseconds(1_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["submit 1 on 1/5 again"])
        // No retry is left: the next one has its turn, but not before the device opens.
        #expect(harness.answer(1, status: 429) == ["finish 1: 429"])
        #expect(harness.advance(by: .milliseconds(3_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["submit 2 on 1/7"])
        #expect(harness.answer(2) == ["finish 2: 200"])
    }

    @Test func severalInFlightCountAsOneRefusal() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, 3, policy: retrying)
        #expect(harness.answer(2, status: 429) == [])
        #expect(harness.answer(1, status: 429) == [])
        #expect(harness.answer(3) == ["finish 3: 200"])
        #expect(harness.advance(by: .seconds(1)) == ["submit 2 on 1/7 again"])
        #expect(harness.answer(2) == ["finish 2: 200", "submit 1 on 1/9 again"])
    }

    @Test func withoutRetriesADeviceIsNotRemembered() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        #expect(harness.answer(1, status: 429) == ["finish 1: 429"])
        #expect(harness.room.throttle.isEmpty)
        #expect(harness.push(2) == ["submit 2 on 1/3"])
    }

    @Test func theThrottleRemembersThoseRefusedLast() {
        let start = MonotonicInstant(nanoseconds: 0)
        func token(_ number: Int) -> Recipient { .device(MachineSamples.push(to: number).deviceToken) }
        var throttle = DeviceThrottle(limit: 3)
        for number in 1...3 { throttle.refused(token(number), start) }
        throttle.refused(token(1), start)
        throttle.refused(token(4), start)
        #expect(throttle.count == 3 && throttle.opening(of: token(2)) == nil)
        #expect(throttle.opening(of: token(1)) == start.advanced(by: .seconds(1)))
        throttle.forget(token(4))
        throttle.forget(token(4))
        throttle.refused(token(5), start)
        #expect(throttle.count == 3 && throttle.opening(of: token(3)) != nil)
        for number in [3, 1, 5] { throttle.forget(token(number)) }
        #expect(throttle.isEmpty)
    }

    @Test func theThrottleDoublesToAMinute() {
        var throttle = DeviceThrottle()
        let token = Recipient.device(MachineSamples.token)
        var now = MonotonicInstant(nanoseconds: 0)
        var waits: [Duration] = []
        for _ in 0..<8 {
            throttle.refused(token, now)
            let opening = throttle.opening(of: token) ?? now
            waits.append(now.duration(to: opening))
            now = opening
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    }
}
