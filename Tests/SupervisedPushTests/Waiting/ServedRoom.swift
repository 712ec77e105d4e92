import Dispatch
import ProcessRuntime
import PushLocking

@testable import SupervisedPush

/// A shared room with one connection, which takes pushes when it is told to.
final class ServedRoom: Sendable {
    /// Notes its messages.
    private final class Idle: Behavior {
        private let messages: AsyncStream<String>.Continuation

        init(_ messages: AsyncStream<String>.Continuation) { self.messages = messages }

        func receive(_ message: ConnectionMessage, in context: ProcessContext<ConnectionMessage>) {
            switch message {
            case .pushesWait: messages.yield("look")
            case .start: messages.yield("mark")
            default: messages.yield("other")
            }
        }
    }

    static let times = PushTimes(timeout: .seconds(10), timeoutFromCall: nil, deadline: nil, expiration: nil)

    let room: SharedWaitingRoom
    private let holder: WaitingRoom.HolderID
    private let process: Address<ConnectionMessage>
    private let messages = AsyncStream<String>.makeStream()
    private let time = ManualTime()
    private let last = Locked(UInt64(0))
    private let ends = Ends()

    private final class Ends: SharedWaitingRoom.Owner {
        let outage: Outage? = nil
        let all = Locked<[RoomEnding]>([])
        func ended(_ endings: [RoomEnding], in room: SharedWaitingRoom) { all.withLock { $0 += endings } }
        func retriesStopped(_ opening: RetryBreaker.Opening) {}
    }

    init(_ settings: RoomSettings = RoomSettings(), _ budget: ByteBudget = ByteBudget(limit: .max)) {
        room = SharedWaitingRoom(
            settings, budget: budget, seed: 1, time: time, timerQueue: DispatchQueue(label: "room"), owner: ends)
        process = ProcessSystem(time: time).spawn(label: "idle") { [messages] in Idle(messages.continuation) }
        holder = room.join(process).id
    }

    /// What ended in the room, by the pushes' numbers.
    var endings: [(number: UInt64, outcome: String)] {
        ends.all.withLock { $0 }.map { ($0.trace.record.id.number, MachineHarness.text($0.outcome(nil))) }
    }

    func record(_ times: PushTimes = ServedRoom.times) -> PushRecord {
        let number = last.withLock { last in
            last += 1
            return last
        }
        return PushRecord(
            id: PushID(number: number), push: MachineSamples.push, head: MachineSamples.head, times: times)
    }

    @discardableResult
    func offer(_ outcome: OutcomeReceiver = .nobody, _ whenFull: WhenFull = .wait) throws(Refused) -> PushRecord {
        let record = record()
        if let refusal = room.offer(record, outcome: outcome, whenFull: whenFull) { throw Refused(refusal: refusal) }
        return record
    }

    struct Refused: Error, Equatable {
        let refusal: WaitingRoom.Refusal
    }

    /// The connection takes this many, and writes them.
    @discardableResult
    func take(_ count: Int) -> [PushRecord] {
        var changes = RoomChanges()
        let readiness = RoomHolders.Readiness(free: count, isUp: true)
        return room.exchange(holder, changes: &changes, readiness: readiness, time.now).pushes.map(\.record)
    }

    /// Sends the connection a message that nothing else sends.
    func mark() { process.send(.start) }

    /// The next messages of the connection.
    func messages(_ count: Int) async -> [String] {
        var found: [String] = []
        for await message in messages.stream.prefix(count) { found.append(message) }
        return found
    }

    /// So many of what it took have their outcome; of this many the completion has not returned.
    func end(_ count: Int, undelivered: Int = 0, bytes: Int = 0) {
        var changes = RoomChanges()
        changes.ended = count
        changes.undelivered = undelivered
        changes.undeliveredBytes = bytes
        _ = room.exchange(holder, changes: &changes, readiness: RoomHolders.Readiness(), time.now)
    }
}
