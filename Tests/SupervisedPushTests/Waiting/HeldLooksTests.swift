import Dispatch
import Glibc
import ProcessRuntime
import Testing

@testable import SupervisedPush

/// Pushes that are made by the completions of a batch wake their connection once.
struct HeldLooksTests {
    private static let (own, other) = (HeldLooks.Caller.thread(1), HeldLooks.Caller.thread(2))
    private static let start = MonotonicInstant(nanoseconds: 1_000)
    private var looks = HeldLooks()

    /// The holders that are woken when a thread offers a push that wakes `holder`.
    private mutating func offer(
        waking holder: WaitingRoom.HolderID?, by caller: HeldLooks.Caller = Self.own, after delay: Duration = .zero
    ) -> [WaitingRoom.HolderID] {
        var effects = RoomEffects()
        if let holder { effects.wake(holder) }
        looks.offered(by: caller, Self.start.advanced(by: delay), &effects)
        return Self.woken(effects)
    }

    private mutating func finish(on thread: pthread_t = 1) -> [WaitingRoom.HolderID] {
        var effects = RoomEffects()
        looks.finish(on: thread, &effects)
        return Self.woken(effects)
    }

    private static func woken(_ effects: RoomEffects) -> [WaitingRoom.HolderID] {
        (effects.look == WaitingRoom.nobody ? [] : [effects.look]) + effects.furtherLooks
    }

    @Test mutating func aConnectionIsWokenOnceTheCompletionsHaveReturned() {
        looks.begin(on: 1)
        #expect(offer(waking: 3) == [] && looks.end == Self.start.advanced(by: .milliseconds(5)))
        #expect(offer(waking: nil, after: .milliseconds(4)) == [])
        #expect(finish() == [3] && looks.end == nil)
        #expect(offer(waking: 3) == [3], "the batch is over")
    }

    @Test mutating func outsideOfABatchNothingWaits() {
        #expect(offer(waking: 3) == [3] && looks.end == nil)
        looks.begin(on: 1)
        #expect(offer(waking: 3, by: Self.other) == [3] && looks.end == nil)
        #expect(finish() == [])
    }

    @Test mutating func aPushOfAnotherThreadWakesThem() {
        looks.begin(on: 1)
        #expect(offer(waking: 0) == [] && offer(waking: 1) == [])
        #expect(offer(waking: nil, by: Self.other) == [0, 1] && looks.end == nil)
        #expect(offer(waking: 2) == [], "the batch goes on")
        #expect(finish() == [2])
    }

    @Test mutating func theConnectionsOfAPoolHaveABatchEach() {
        looks.begin(on: 1)
        looks.begin(on: 2)
        #expect(offer(waking: 0) == [] && offer(waking: 1, by: Self.other) == [])
        #expect(finish(on: 3) == [], "it called none")
        #expect(finish() == [0, 1])
        #expect(offer(waking: 0) == [0] && offer(waking: 1, by: Self.other) == [])
        #expect(finish(on: 2) == [1])
    }

    @Test mutating func aWakeUpWaitsFiveMilliseconds() {
        looks.begin(on: 1)
        #expect(offer(waking: 0) == [] && offer(waking: nil, after: .milliseconds(5)) == [0])
        #expect(offer(waking: 0, after: .milliseconds(6)) == [])
        var effects = RoomEffects()
        looks.tick(Self.start.advanced(by: .milliseconds(10)), &effects)
        #expect(Self.woken(effects) == [] && looks.end == Self.start.advanced(by: .milliseconds(11)))
        looks.tick(Self.start.advanced(by: .milliseconds(11)), &effects)
        #expect(Self.woken(effects) == [0] && looks.end == nil)
    }

    @Test mutating func oneThatLooksByItselfIsNotWoken() {
        looks.begin(on: 1)
        #expect(offer(waking: 0) == [] && offer(waking: 1) == [])
        looks.looked(0)
        looks.looked(7)
        #expect(finish() == [1])
        looks.begin(on: 1)
        #expect(offer(waking: 0) == [])
        looks.looked(0)
        #expect(looks.end == nil && offer(waking: 0, after: .milliseconds(6)) == [], "the time begins again")
        #expect(finish() == [0])
    }

    @Test mutating func itIsWokenOnceForThePushesOfTheTasksThatWereResumedTogether() {
        var effects = RoomEffects()
        looks.beginTasks()
        looks.beginTasks()
        #expect(offer(waking: 0, by: .task) == [] && offer(waking: nil, by: .task) == [])
        looks.finishTasks(&effects)
        #expect(Self.woken(effects) == [0])
        effects = RoomEffects()
        #expect(offer(waking: 0, by: .task) == [], "another batch has not run")
        looks.finishTasks(&effects)
        #expect(Self.woken(effects) == [0] && offer(waking: 0, by: .task) == [0])
    }

    @Test mutating func oneFormOfPushDoesNotWaitForTheOther() {
        looks.beginTasks()
        #expect(offer(waking: 0, by: .task) == [] && offer(waking: 1, by: Self.own) == [1, 0])
        looks.begin(on: 1)
        #expect(offer(waking: 0) == [] && offer(waking: 1, by: .task) == [])
        #expect(finish() == [0, 1])
    }

    @Test mutating func whatElseFollowsFromAPushDoesNotWait() {
        looks.begin(on: 1)
        var effects = RoomEffects()
        effects.wake(0)
        effects.wake(1)
        looks.offered(by: Self.own, Self.start, &effects)
        #expect(Self.woken(effects) == [0, 1] && looks.end == nil)
    }
}

/// The same, with a process that is woken.
struct HeldLooksInARoomTests {
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
