import Testing

@testable import PushServer

/// What a user would have seen: whole lists of what became of each push, on a clock of the test.
@Suite("parity: F24 – a simulated device") struct DeviceMachineTests {
    private typealias Fate = DeviceOutcome.Fate

    private static let second: Int64 = 1_000
    private static let hour: Int64 = 3_600_000

    private func alert(
        _ number: Int, at time: Int64 = 0, app: String = "app", priority: Int = 10, expiration: Int64? = nil,
        collapse: String? = nil, _ notification: DeviceNotification = DeviceNotification(title: "Boarding")
    ) -> DeviceArrival {
        DeviceArrival(
            number: number, app: app, priority: priority, expiration: expiration, collapseID: collapse,
            effect: .notification(notification), time: time)
    }

    private func other(
        _ number: Int, at time: Int64 = 0, _ effect: DeviceArrival.Effect, priority: Int = 5
    ) -> DeviceArrival {
        DeviceArrival(
            number: number, app: "app", priority: priority, expiration: nil, collapseID: nil, effect: effect, time: time
        )
    }

    private func activity(
        _ number: Int, _ event: ActivityChange.Event, at time: Int64, timestamp: Int64, dismissal: Int64? = nil
    ) -> DeviceArrival {
        other(
            number, at: time, .activity(ActivityChange(event: event, timestamp: timestamp, dismissal: dismissal)),
            priority: 10)
    }

    private func fates(_ machine: DeviceMachine) -> [Int: Fate] {
        Dictionary(machine.outcomes.map { ($0.number, $0.fate) }) { _, last in last }
    }

    // MARK: States

    @Test func thatIsOnlineShowsWhatComes() {
        var device = DeviceMachine()
        device.receive(alert(1))
        device.receive(other(2, .background))
        device.receive(other(3, .urgent))
        device.receive(other(4, .unseen))
        device.receive(alert(5, DeviceNotification(body: "Quiet", level: .passive)))
        device.receive(alert(6, DeviceNotification(badge: 4)))
        device.receive(alert(7, DeviceNotification()))
        #expect(device.outcomes.map(\.number) == [1, 2, 3, 4, 5, 6, 7])
        #expect(device.outcomes.map(\.fate) == [.shown, .launched, .launched, .done, .quiet, .done, .done])
        #expect(device.badges == ["app": 4])
        #expect(device.outcomes[5].why == "Only the badge is 4.")
        #expect(device.waiting == 0 && device.nextDue == nil)
    }

    @Test func thatIsOfflineHasOnePushOfEachAppStored() {
        var device = DeviceMachine()
        device.change(to: .offline, now: 0)
        device.receive(alert(1, at: 1))
        device.receive(alert(2, at: 2))
        device.receive(alert(3, at: 3, app: "another"))
        device.receive(alert(4, at: 4, expiration: 0))
        #expect(fates(device) == [1: .dropped, 2: .stored, 3: .stored, 4: .expired])
        device.change(to: .online, now: 5)
        #expect(fates(device) == [1: .dropped, 2: .shown, 3: .shown, 4: .expired])
        #expect(device.outcomes.first { $0.number == 2 }?.time == 5 && device.waiting == 0)
    }

    @Test func replacesWhatIsStoredWithTheSameCollapseID() {
        var device = DeviceMachine()
        device.change(to: .offline, now: 0)
        device.receive(alert(1, collapse: "score"))
        device.receive(alert(2, collapse: "score"))
        #expect(fates(device) == [1: .replaced, 2: .stored])
    }

    @Test func dropsWhatExpiresWhileItIsOffline() {
        var device = DeviceMachine()
        device.change(to: .offline, now: 0)
        device.receive(alert(1, expiration: 60))
        #expect(device.nextDue == 60 * Self.second)
        device.advance(to: 59_999)
        #expect(fates(device) == [1: .stored])
        device.advance(to: 60_000)
        #expect(fates(device) == [1: .expired] && device.waiting == 0)
        device.receive(alert(2, at: 61_000))
        device.change(to: .online, now: 61_000 + DeviceMachine.storedTime)
        #expect(fates(device) == [1: .expired, 2: .expired])
    }

    @Test func thatSleepsLeavesLowPrioritiesWaiting() {
        var device = DeviceMachine()
        device.change(to: .asleep, now: 0)
        device.receive(alert(1, priority: 5))
        device.receive(alert(2, priority: 10))
        device.receive(other(3, .urgent, priority: 5))
        device.receive(other(4, .background))
        device.receive(alert(5, priority: 1, expiration: 0))
        #expect(fates(device) == [1: .waiting, 2: .shown, 3: .launched, 4: .waiting, 5: .expired])
        device.change(to: .online, now: 1)
        #expect(fates(device) == [1: .shown, 2: .shown, 3: .launched, 4: .launched, 5: .expired])
    }

    @Test func thatComesBackAsleepGetsWhatWakesIt() {
        var device = DeviceMachine()
        device.change(to: .offline, now: 0)
        device.receive(alert(1, app: "a"))
        device.receive(alert(2, app: "b", priority: 5))
        device.change(to: .asleep, now: 1)
        #expect(fates(device) == [1: .shown, 2: .stored])
        device.change(to: .online, now: 2)
        #expect(fates(device) == [1: .shown, 2: .shown])
    }

    @Test func thatIsMutedIsBrokenThroughByWhatIsUrgent() {
        var device = DeviceMachine()
        device.change(to: .muted, now: 0)
        for (number, level) in [DeviceNotification.Level.passive, .active, .timeSensitive, .critical].enumerated() {
            device.receive(alert(number, DeviceNotification(title: "x", level: level)))
        }
        #expect(device.outcomes.map(\.fate) == [.quiet, .quiet, .shown, .shown])
    }

    @Test(arguments: [SimulatedDeviceState.removed, .wrongEnvironment])
    func thatIsGoneGetsNothingThatWaited(_ state: SimulatedDeviceState) {
        var device = DeviceMachine()
        device.receive(alert(1))
        device.change(to: .offline, now: 1)
        device.receive(alert(2, at: 1))
        device.change(to: state, now: 2)
        device.receive(alert(3, at: 3))
        device.change(to: .online, now: 4)
        #expect(fates(device) == [1: .shown, 2: .dropped])
        #expect(!state.isReachable && SimulatedDeviceState.online.isReachable)
    }

    @Test func replacesWhatItShowsWithTheSameCollapseIDOfTheSameApp() {
        var device = DeviceMachine()
        device.receive(alert(1, collapse: "score"))
        device.receive(alert(2, app: "another", collapse: "score"))
        device.receive(alert(3, collapse: "score"))
        #expect(fates(device) == [1: .replaced, 2: .shown, 3: .shown])
    }

    @Test func letsThreeBackgroundPushesThroughInAnHour() {
        var device = DeviceMachine()
        for number in 1...5 { device.receive(other(number, at: Int64(number), .background)) }
        device.receive(other(6, at: Self.hour + 1, .background))
        device.receive(other(7, at: Self.hour + 1, .background))
        #expect(
            device.outcomes.map(\.fate)
                == [.launched, .launched, .launched, .throttled, .throttled, .launched, .throttled])
    }

    // MARK: Live Activities

    @Test func showsALiveActivityUntilItsEnd() {
        var device = DeviceMachine()
        device.receive(activity(1, .start, at: 0, timestamp: 100))
        device.receive(activity(2, .update, at: 1, timestamp: 102))
        device.receive(activity(3, .update, at: 2, timestamp: 101))
        device.receive(activity(4, .end, at: 3, timestamp: 103))
        device.receive(activity(5, .update, at: 4, timestamp: 104))
        #expect(fates(device) == [1: .replaced, 2: .replaced, 3: .ignored, 4: .ended, 5: .ignored])
        #expect(device.activity?.number == 4 && device.activity?.leavesAt == 3 + DeviceActivity.endedTime)
        device.advance(to: 3 + DeviceActivity.endedTime)
        #expect(device.activity?.isGone == true && device.nextDue == nil)
        device.receive(activity(6, .update, at: 5 * Self.hour, timestamp: 105))
        device.receive(activity(7, .start, at: 5 * Self.hour, timestamp: 106))
        #expect(fates(device)[6] == .ignored && fates(device)[7] == .shown)
    }

    @Test func endsALiveActivityAfterEightHours() {
        var device = DeviceMachine()
        device.receive(activity(1, .start, at: 0, timestamp: 1))
        #expect(device.nextDue == 8 * Self.hour)
        device.receive(activity(2, .update, at: 8 * Self.hour - 1, timestamp: 2))
        device.receive(activity(3, .update, at: 8 * Self.hour, timestamp: 3))
        #expect(fates(device) == [1: .replaced, 2: .shown, 3: .ignored])
        #expect(device.nextDue == 12 * Self.hour)
        device.advance(to: 12 * Self.hour)
        #expect(device.activity?.isGone == true)
    }

    @Test(arguments: [(10, 10_000), (0, 0), (Int64.max, 5_000 + DeviceActivity.endedTime)] as [(Int64, Int64)])
    func takesALiveActivityAwayAtItsDismissalDate(_ dismissal: Int64, _ leaves: Int64) {
        var device = DeviceMachine()
        device.receive(activity(1, .start, at: 0, timestamp: 1))
        device.receive(activity(2, .end, at: 5_000, timestamp: 2, dismissal: dismissal))
        #expect(device.activity?.leavesAt == leaves && device.activity?.isGone == (leaves <= 5_000))
    }

    @Test func followsALiveActivityThatTheAppStarted() {
        var device = DeviceMachine()
        device.receive(activity(1, .update, at: 0, timestamp: 1))
        #expect(fates(device) == [1: .shown] && device.activity?.number == 1)
    }

    // MARK: Bounds

    @Test func rememberABoundedNumber() {
        var device = DeviceMachine()
        device.change(to: .asleep, now: 0)
        for number in 1...1_000 { device.receive(alert(number, app: "app \(number)", priority: 5)) }
        #expect(device.outcomes.count == DeviceMachine.mostOutcomes && device.waiting == DeviceMachine.mostOutcomes)
        device.change(to: .online, now: 1)
        for number in 1...1_000 {
            device.receive(alert(number, app: "app \(number)", DeviceNotification(badge: 1)))
            device.receive(
                DeviceArrival(
                    number: number, app: "app \(number)", priority: 5, expiration: nil, collapseID: nil,
                    effect: .background, time: 2))
        }
        #expect(device.badges.count == DeviceMachine.mostApps)
    }

    // MARK: What a push asks for

    @Test(arguments: [
        (#"{"aps":{"alert":"a"}}"#, DeviceNotification(body: "a")),
        (
            #"{"aps":{"alert":{"title":"t","subtitle":"s","body":"b"},"badge":2,"sound":"s","thread-id":"x"}}"#,
            DeviceNotification(title: "t", subtitle: "s", body: "b", thread: "x", sound: "s", badge: 2)
        ),
        (#"{"aps":{"alert":{"title-loc-key":"T","loc-key":"B"}}}"#, DeviceNotification(title: "T", body: "B")),
        (
            #"{"aps":{"alert":"a","sound":{"critical":1,"name":"n"}}}"#,
            DeviceNotification(body: "a", sound: "n", level: .critical)
        ),
        (#"{"aps":{"alert":"a","interruption-level":"passive"}}"#, DeviceNotification(body: "a", level: .passive)),
        ("not json", DeviceNotification()), (#"{"aps":7}"#, DeviceNotification()),
    ])
    func readsTheNotificationOfAnAlert(_ payload: String, _ notification: DeviceNotification) {
        #expect(DeviceArrival(.sample(type: "alert", payload: payload)).effect == .notification(notification))
    }

    @Test(arguments: [
        ("background", DeviceArrival.Effect.background), ("voip", .urgent), ("pushtotalk", .urgent),
        ("complication", .unseen), ("mdm", .unseen), ("liveactivity", .unseen), ("widgets", .unseen),
    ])
    func knowsWhatEachTypeDoes(_ type: String, _ effect: DeviceArrival.Effect) {
        #expect(DeviceArrival(.sample(type: type, payload: "{}")).effect == effect)
    }

    @Test func readsTheChangeOfALiveActivity() {
        let payload = #"{"aps":{"event":"end","timestamp":7,"dismissal-date":8.5,"stale-date":1e300}}"#
        let change = ActivityChange(event: .end, timestamp: 7, dismissal: 8)
        #expect(DeviceArrival(.sample(type: "liveactivity", payload: payload)).effect == .activity(change))
    }

    @Test(arguments: [
        ("com.example.app", "com.example.app"), ("com.example.app.voip", "com.example.app"),
        ("com.example.app.voip-ptt", "com.example.app"),
        ("com.example.app.push-type.liveactivity", "com.example.app"), ("com.example.voipbox", "com.example.voipbox"),
    ])
    func knowsTheAppOfATopic(_ topic: String, _ app: String) {
        #expect(DeviceArrival.bundleID(of: topic) == app)
    }
}

@Suite("The devices of an inbox") struct DeviceBookTests {
    private func ring(_ tokens: [String]) -> PushRing {
        var ring = PushRing(limits: InboxLimits())
        for token in tokens { _ = ring.append(.sample(token: token)) }
        return ring
    }

    @Test func workOutWhatCameWhenTheyAreLookedAt() throws {
        let ring = ring(["AA", "bb", "aa"])
        var book = DeviceBook()
        for push in ring.after(0) { book.receive(push) }
        let device = book.device("aA", now: InboxPush.noon, in: ring)
        #expect(device?.machine.outcomes.map(\.number) == [1, 3] && device?.pushes == 2 && book.count == 2)
        let unknown = book.device("cc", now: 0, in: ring)
        #expect(unknown?.pushes == nil)
        let newest = book.newest(10, from: 0, now: InboxPush.noon, in: ring).map(\.token)
        #expect(newest == ["aa", "bb"])
    }

    @Test func seeNothingOfWhatLeftTheInbox() throws {
        var ring = ring(["aa", "aa"])
        var book = DeviceBook()
        for push in ring.after(0) { book.receive(push) }
        _ = ring.removeAll { $0.number == 1 }
        let device = book.device("aa", now: InboxPush.noon, in: ring)
        #expect(device?.machine.outcomes.map(\.number) == [2])
    }

    @Test func areABoundedNumberOfWhichThoseWithAStateStay() {
        let ring = ring([])
        var book = DeviceBook()
        func state(_ token: String, _ state: SimulatedDeviceState) -> SimulatedDeviceState? {
            book.change(token, to: state, now: 0, in: ring)?.machine.state
        }
        let set = (0..<DeviceBook.mostSet).compactMap { state("\($0)", .offline) }
        #expect(set.count == DeviceBook.mostSet)
        let (more, again) = (state("ffff", .offline), state("7", .removed))
        #expect(more == nil && again == .removed)
        for number in 0..<3 * DeviceBook.most { book.receive(.sample(token: "f\(number)")) }
        #expect(book.count <= DeviceBook.most && book.set.count == DeviceBook.mostSet)
        let kept = book.device("7", now: 0, in: ring)
        #expect(kept?.machine.state == .removed)
        let (freed, next) = (state("7", .online), state("ffff", .offline))
        #expect(freed == .online && next == .offline && book.set.count == DeviceBook.mostSet)
    }
}
