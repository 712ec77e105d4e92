import Dispatch
import PushLocking
import Testing

@testable import ProcessRuntime

@Suite(.timeLimit(.minutes(5))) struct TimeTests {
    let queue = DispatchQueue(label: "test")
    let log = Recorder<String>()

    private func instant(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    @Test func instantsSaturate() {
        let start = instant(5)
        #expect(start.advanced(by: .milliseconds(1_500)).nanoseconds == 6_500_000_000)
        #expect(start.advanced(by: .seconds(-7)).nanoseconds == -2_000_000_000)
        #expect(start.advanced(by: .seconds(Int64.max)) == .distantFuture)
        #expect(start.advanced(by: .seconds(Int64.min)).nanoseconds == .min + 5_000_000_000)
        #expect(start.duration(to: instant(7)) == .seconds(2))
        #expect(instant(-1).duration(to: .distantFuture) == .nanoseconds(Int64.max))
        #expect(instant(1) < instant(2))
    }

    @Test(
        "the nanoseconds of a duration are those of its components, toward zero, and never beyond Int64",
        arguments: [
            (0, 0), (0, 1), (0, 999_999_999), (0, 1_000_000_000), (10, 0), (18, 446_744_073_709_551_615), (19, 1),
            (3_600, 5), (-1, 0), (0, -1), (0, -1_000_000_001), (-40, -999_999_999_999_999_999),
            (9_223_372_036, 854_775_807_000_000_000), (9_223_372_036, 854_775_808_000_000_000),
            (-9_223_372_036, -854_775_808_000_000_000), (Int64.max, 0), (Int64.min, 0),
        ] as [(Int64, Int64)])
    func nanosecondsOfDurations(seconds: Int64, attoseconds: Int64) {
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooMuch) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let limit: Int64 = seconds < 0 ? .min : .max
        let duration = Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
        #expect(duration.saturatedNanoseconds == (isTooLong || isTooMuch ? limit : sum))
    }

    @Test func anAlarmIsMovedToAnEarlierInstantOnly() {
        var alarm = EarliestAlarm()
        #expect(alarm.mustArm(for: instant(10), instant(0)) == true)
        #expect(alarm.mustArm(for: instant(10), instant(1)) == false)
        #expect(alarm.mustArm(for: instant(20), instant(1)) == false)
        #expect(alarm.mustArm(for: instant(5), instant(1)) == true)
        alarm.fired()
        #expect(alarm.mustArm(for: instant(20), instant(5)) == true)
    }

    @Test func anAlarmWhoseInstantPassedInASuspensionIsArmedAgain() {
        var alarm = EarliestAlarm()
        #expect(alarm.mustArm(for: instant(3_600), instant(0)) == true)
        // It is due, and fires in a moment.
        #expect(alarm.mustArm(for: instant(3_600), instant(3_600)) == false)
        #expect(alarm.mustArm(for: instant(3_600), instant(30_000)) == true)
        #expect(alarm.mustArm(for: instant(3_600), instant(30_000)) == false)
        #expect(alarm.mustArm(for: instant(30_010), instant(30_000)) == false)
        #expect(alarm.mustArm(for: instant(30_010), instant(30_001)) == true)
    }

    @Test func aTimerThatASuspensionHeldUpIsArmedAgain() async {
        let now = Locked(instant(0))
        let (fired, signal) = AsyncStream.makeStream(of: Void.self)
        let timer = SystemTimer(queue: queue, now: { now.withLock { $0 } }, fire: { signal.yield() })
        timer.arm(at: instant(3_600))
        now.withLock { $0 = instant(30_000) }
        timer.arm(at: instant(29_999))
        for await _ in fired { break }
        timer.cancel()
    }

    @Test func manualTimersFireInOrderWithTheClockAtTheirInstant() {
        let time = ManualTime()
        let timers = [3, 1, 2].map { (seconds: Int64) in
            let timer = time.makeTimer(on: queue) { [log] in log.record("\(seconds) at \(time.now.nanoseconds)") }
            timer.arm(at: instant(seconds))
            return timer
        }
        #expect(time.armedCount == 3)
        #expect(time.earliestArmed == instant(1))
        time.advance(by: .seconds(2))
        #expect(log.all == ["1 at 1000000000", "2 at 2000000000"])
        time.advance(by: .seconds(5))
        #expect(log.all.last == "3 at 3000000000")
        #expect(time.now == instant(7))
        withExtendedLifetime(timers) {}
    }

    @Test func aTimerArmedWhileTheClockMovesIsNotPassedOver() {
        let time = ManualTime()
        let other = DispatchQueue(label: "other")
        for round in 1...20_000 {
            let fired = Locked(false)
            let timer = time.makeTimer(on: queue) { fired.withLock { $0 = true } }
            let hasBegun = DispatchSemaphore(value: 0)
            other.async {
                hasBegun.signal()
                timer.arm(at: MonotonicInstant(nanoseconds: Int64(round)))
            }
            hasBegun.wait()
            time.advance(by: .nanoseconds(1))
            other.sync {}
            queue.sync {}
            #expect(fired.withLock { $0 }, "round \(round)")
            if !fired.withLock({ $0 }) { return }
        }
    }

    @Test func aTimerArmedByFiredWorkFiresInItsTurn() {
        let time = ManualTime()
        let timers = Locked<[any OneShotTimer]>([])
        let second = time.makeTimer(on: queue) { [log] in log.record("second") }
        let first = time.makeTimer(on: queue) { [log] in
            log.record("first")
            second.arm(at: time.now.advanced(by: .seconds(1)))
        }
        timers.withLock { $0 = [first, second] }
        first.arm(at: instant(1))
        time.advance(by: .seconds(2))
        #expect(log.all == ["first", "second"])
    }

    @Test func disarmingRearmingCancellingAndReleasingTakeTheFiringBack() {
        let time = ManualTime()
        var timers = ["disarmed", "rearmed", "cancelled", "released"].map { name in
            let timer = time.makeTimer(on: queue) { [log] in log.record(name) }
            timer.arm(at: instant(1))
            return timer
        }
        timers[0].disarm()
        timers[1].arm(at: instant(5))
        timers[2].cancel()
        timers[2].arm(at: instant(1))
        timers.removeLast()
        time.advance(by: .seconds(2))
        #expect(log.all == [])
        timers[0].arm(at: instant(1))  // In the past: at once.
        queue.sync {}
        #expect(log.all == ["disarmed"])
        time.advance(by: .seconds(3))
        #expect(log.all == ["disarmed", "rearmed"])
    }

    @Test func aFiringOnItsWayIsTakenBackOnTheQueue() {
        let time = ManualTime()
        let timer = time.makeTimer(on: queue) { [log] in log.record("never") }
        timer.arm(at: instant(1))
        queue.sync {
            time.advance(by: .seconds(1))  // On the queue itself: fires after this block, if at all.
            timer.disarm()
        }
        queue.sync {}
        #expect(log.all == [])
    }

    @Test func theWallClockIsApart() async {
        let time = ManualTime(wallClockMilliseconds: 1_000)
        time.advance(by: .milliseconds(1_500))
        #expect(time.wallClockMilliseconds == 2_500)
        time.setWallClock(milliseconds: 7)
        #expect(time.wallClockMilliseconds == 7)
        #expect(time.now.nanoseconds == 1_500_000_000)
        queue.async { [log] in log.record("settled") }
        await time.waitForWork(on: queue)
        #expect(log.all == ["settled"])
    }

    @Test func waitingForATimerEndsWhenItIsArmed() async {
        let time = ManualTime()
        let timer = time.makeTimer(on: queue) {}
        async let armed = time.waitUntilArmed(by: instant(3))
        timer.arm(at: instant(4))
        timer.arm(at: instant(2))
        #expect(await armed == instant(2))
        let task = Task { await time.waitUntilArmed(count: 2) }
        task.cancel()
        #expect(await task.value == nil)
    }

    @Test func systemTimeFiresOnTheQueueAndNotBeforeItsInstant() async {
        let time = SystemTime()
        let fired = Recorder<MonotonicInstant>()
        let timer = time.makeTimer(on: queue) { [queue] in
            dispatchPrecondition(condition: .onQueue(queue))
            fired.record(SystemTime().now)
        }
        timer.arm(at: time.now.advanced(by: .seconds(3_600)))
        // On its queue it does not fire before it is armed again.
        let wanted = queue.sync {
            let wanted = time.now.advanced(by: .milliseconds(20))
            timer.arm(at: wanted.advanced(by: .milliseconds(-15)))
            timer.arm(at: wanted)  // Later than the source is set: it finds itself early and goes on.
            return wanted
        }
        let instant = await fired.next()
        #expect(instant.map { $0 >= wanted } == true)
        timer.arm(at: MonotonicInstant(nanoseconds: 0))
        #expect(await fired.next() != nil)
        #expect(time.wallClockMilliseconds > 1_700_000_000_000)
    }

    @Test func systemTimersTakenBackNeitherFireNorTrap() async {
        let time = SystemTime()
        let soon = time.now.advanced(by: .milliseconds(5))
        var timers = (0..<4).map { number in time.makeTimer(on: queue) { [log] in log.record("\(number)") } }
        queue.sync {
            timers[0].arm(at: soon)
            timers[0].cancel()
            timers[0].arm(at: soon)
            timers[1].arm(at: soon)
            timers[1].disarm()
            timers[2].arm(at: .distantFuture)
            timers.removeLast()  // Never armed.
            timers.removeLast()  // Armed.
        }
        let after = time.makeTimer(on: queue) { [log] in log.record("after") }
        after.arm(at: soon.advanced(by: .milliseconds(20)))
        #expect(await log.next() == "after")
    }
}
