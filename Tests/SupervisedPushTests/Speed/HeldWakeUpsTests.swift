import Dispatch
import Glibc
import ProcessRuntime
import Testing

@testable import SupervisedPush

/// Pushes that are made by the completions of a batch wake their connection once.
struct HeldWakeUpsTests {
    private static let (own, other) = (HeldWakeUps.Caller.thread(1), HeldWakeUps.Caller.thread(2))
    private static let start = MonotonicInstant(nanoseconds: 1_000)
    private var held = HeldWakeUps()

    /// The holders that are woken when a thread offers a push that wakes `holder`.
    private mutating func offer(
        waking holder: WaitingRoom.HolderID?, by caller: HeldWakeUps.Caller = Self.own, after delay: Duration = .zero
    ) -> [WaitingRoom.HolderID] {
        var effects = RoomEffects()
        if let holder { effects.wake(holder) }
        held.offered(by: caller, Self.start.advanced(by: delay), &effects)
        return Self.woken(effects)
    }

    private mutating func finish(on thread: pthread_t = 1) -> [WaitingRoom.HolderID] {
        var effects = RoomEffects()
        held.finish(on: thread, &effects)
        return Self.woken(effects)
    }

    private static func woken(_ effects: RoomEffects) -> [WaitingRoom.HolderID] {
        (effects.woken == WaitingRoom.nobody ? [] : [effects.woken]) + effects.furtherWoken
    }

    @Test mutating func aConnectionIsWokenOnceTheCompletionsHaveReturned() {
        held.begin(on: 1)
        #expect(offer(waking: 3) == [] && held.end == Self.start.advanced(by: .milliseconds(5)))
        #expect(offer(waking: nil, after: .milliseconds(4)) == [])
        #expect(finish() == [3] && held.end == nil)
        #expect(offer(waking: 3) == [3], "the batch is over")
    }

    @Test mutating func outsideOfABatchNothingWaits() {
        #expect(offer(waking: 3) == [3] && held.end == nil)
        held.begin(on: 1)
        #expect(offer(waking: 3, by: Self.other) == [3] && held.end == nil)
        #expect(finish() == [])
    }

    @Test mutating func aPushOfAnotherThreadWakesThem() {
        held.begin(on: 1)
        #expect(offer(waking: 0) == [] && offer(waking: 1) == [])
        #expect(offer(waking: nil, by: Self.other) == [0, 1] && held.end == nil)
        #expect(offer(waking: 2) == [], "the batch goes on")
        #expect(finish() == [2])
    }

    @Test mutating func theConnectionsOfAPoolHaveABatchEach() {
        held.begin(on: 1)
        held.begin(on: 2)
        #expect(offer(waking: 0) == [] && offer(waking: 1, by: Self.other) == [])
        #expect(finish(on: 3) == [], "it called none")
        #expect(finish() == [0, 1])
        #expect(offer(waking: 0) == [0] && offer(waking: 1, by: Self.other) == [])
        #expect(finish(on: 2) == [1])
    }

    @Test mutating func aWakeUpWaitsFiveMilliseconds() {
        held.begin(on: 1)
        #expect(offer(waking: 0) == [] && offer(waking: nil, after: .milliseconds(5)) == [0])
        #expect(offer(waking: 0, after: .milliseconds(6)) == [])
        var effects = RoomEffects()
        held.tick(Self.start.advanced(by: .milliseconds(10)), &effects)
        #expect(Self.woken(effects) == [] && held.end == Self.start.advanced(by: .milliseconds(11)))
        held.tick(Self.start.advanced(by: .milliseconds(11)), &effects)
        #expect(Self.woken(effects) == [0] && held.end == nil)
    }

    @Test mutating func oneThatLooksByItselfIsNotWoken() {
        held.begin(on: 1)
        #expect(offer(waking: 0) == [] && offer(waking: 1) == [])
        held.looked(0)
        held.looked(7)
        #expect(finish() == [1])
        held.begin(on: 1)
        #expect(offer(waking: 0) == [])
        held.looked(0)
        #expect(held.end == nil && offer(waking: 0, after: .milliseconds(6)) == [], "the time begins again")
        #expect(finish() == [0])
    }

    @Test mutating func itIsWokenOnceForThePushesOfTheTasksThatWereResumedTogether() {
        var effects = RoomEffects()
        held.beginTasks()
        held.beginTasks()
        #expect(offer(waking: 0, by: .task) == [] && offer(waking: nil, by: .task) == [])
        held.finishTasks(&effects)
        #expect(Self.woken(effects) == [0])
        effects = RoomEffects()
        #expect(offer(waking: 0, by: .task) == [], "another batch has not run")
        held.finishTasks(&effects)
        #expect(Self.woken(effects) == [0] && offer(waking: 0, by: .task) == [0])
    }

    @Test mutating func oneFormOfPushDoesNotWaitForTheOther() {
        held.beginTasks()
        #expect(offer(waking: 0, by: .task) == [] && offer(waking: 1, by: Self.own) == [1, 0])
        held.begin(on: 1)
        #expect(offer(waking: 0) == [] && offer(waking: 1, by: .task) == [])
        #expect(finish() == [0, 1])
    }

    @Test mutating func whatElseFollowsFromAPushDoesNotWait() {
        held.begin(on: 1)
        var effects = RoomEffects()
        effects.wake(0)
        effects.wake(1)
        held.offered(by: Self.own, Self.start, &effects)
        #expect(Self.woken(effects) == [0, 1] && held.end == nil)
    }
}

/// The same, with a process that is woken.
struct HeldWakeUpsInARoomTests {
    private let served = ServedRoom()

    init() { served.take(100) }

    @Test func theConnectionIsWokenAfterTheBatch() async {
        served.room.deliver(16, bytes: 0) {
            for _ in 0..<16 { _ = try? served.offer() }
            served.mark()
        }
        #expect(await served.messages(2) == ["mark", "look"])
        #expect(served.take(100).count == 16)
    }

    @Test func aSmallBatchWakesItAtOnce() async {
        served.room.deliver(15, bytes: 0) {
            _ = try? served.offer()
            served.mark()
        }
        #expect(await served.messages(2) == ["look", "mark"])
    }

    @Test func itIsWokenForAPushOfAnotherThread() async {
        served.room.deliver(16, bytes: 0) {
            _ = try? served.offer()
            let isOver = DispatchSemaphore(value: 0)
            DispatchQueue(label: "another").async {
                _ = try? served.offer()
                isOver.signal()
            }
            isOver.wait()
            served.mark()
        }
        #expect(await served.messages(2) == ["look", "mark"])
        #expect(served.take(100).count == 2)
    }

    @Test func aConnectionThatLooksIsNotWokenAgain() async {
        served.room.deliver(16, bytes: 0) {
            _ = try? served.offer()
            #expect(served.take(100).count == 1)
        }
        served.mark()
        #expect(await served.messages(1) == ["mark"])
    }
}
