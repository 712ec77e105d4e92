import ProcessRuntime

@testable import SupervisedPush

/// One connection of a random life: its machine, and the peer's side of its links.
struct RandomConnection {
    var machine: ConnectionMachine
    /// Its number in the room.
    let holder: WaitingRoom.HolderID
    /// What the room is to hear at the end of the drain.
    var changes = RoomChanges()
    /// What the room has to say to the process.
    var mail: [ConnectionMachine.Event] = []
    /// How the process is to end, and whether it has.
    var stop: RoomEnding.Reason?
    var hasStopped = false
    /// Its process failed, and no other has begun.
    var isDown = false
    /// It finishes what it has, and takes nothing.
    var isRetired = false
    /// The slots of the streams that are open, by link and stream.
    var open: [UInt32: [Int32: UInt64]] = [:]
    var limits: [UInt32: Int] = [:]
    /// The windows of the links that are up.
    var windows: [UInt32: RandomWindows] = [:]
    var dialed: UInt32?
    /// The PING on a link that the peer has not answered.
    var pings: [UInt32: UInt64] = [:]

    init(machine: ConnectionMachine, holder: WaitingRoom.HolderID) {
        self.machine = machine
        self.holder = holder
    }

    var nextWake: MonotonicInstant? { isDown ? nil : machine.nextWake }
}

/// One push of a random life.
struct RandomPush {
    enum End: Equatable { case unprocessed, unknown, answered(Int) }

    let device: Int
    /// How its latest attempt ended; nil while none has, or the next one is under way.
    var lastEnd: End?
    var wasUnknown = false
    /// True while it is written and asks for order.
    var isWritten = false
}
