import Dispatch
import ProcessRuntime
import PushLocking
import Testing

@testable import SupervisedPush

/// A name must not be over while another thread is about to hand over what ended in its room.
struct HandingOverTests {
    private final class Watch: SharedWaitingRoom.Owner {
        let outage: Outage? = nil
        let steps = Locked<[String]>([])

        func ended(_ endings: [RoomEnding], in room: SharedWaitingRoom) {
            room.whenHandedOver { [steps] in steps.withLock { $0.append("over") } }
            steps.withLock { $0.append("handed over \(endings.count)") }
        }

        func retriesStopped(_ opening: RetryBreaker.Opening) {}
    }

    @Test func theEndOfANameWaitsForWhatIsBeingHandedOver() throws {
        let watch = Watch()
        let room = SharedWaitingRoom(
            RoomSettings(), budget: ByteBudget(limit: .max), seed: 1, time: ManualTime(),
            timerQueue: DispatchQueue(label: "room"), owner: watch)
        let record = PushRecord(
            id: PushID(number: 1), push: MachineSamples.push, head: MachineSamples.head, times: ServedRoom.times)
        #expect(room.offer(record, outcome: .nobody, whenFull: .wait) == nil)
        room.end(.closed)
        #expect(watch.steps.withLock { $0 } == ["handed over 1", "over"])
    }

    @Test func whereNothingEndsItDoesNotWait() {
        let watch = Watch()
        let room = SharedWaitingRoom(
            RoomSettings(), budget: ByteBudget(limit: .max), seed: 1, time: ManualTime(),
            timerQueue: DispatchQueue(label: "room"), owner: watch)
        room.whenHandedOver { watch.steps.withLock { $0.append("over") } }
        #expect(watch.steps.withLock { $0 } == ["over"])
    }
}
