import ProcessRuntime

/// What a name or a pid leads to: a connection or a pool.
///
/// Both have a life, messages, and a room in which their pushes wait. What differs stands here as a requirement; what does not, in
/// `Destination+Life.swift`.
protocol Destination: AnyObject, Sendable, Outbox.Owner {
    associatedtype Process: Behavior

    /// What it says of itself; nil for an anonymous connection.
    var name: String? { get }
    /// The name that leads to it, if one does.
    var registeredName: String? { get }
    /// What the supervisor calls it.
    var childID: String { get }
    var config: ConnectionConfig { get }
    var credentials: CredentialSlot { get }
    var time: any TimeSource { get }
    var life: Life<Process.Message> { get }
    /// The live process; nil between two processes and after the end.
    var pid: ProcessID? { get }
    var hub: LifecycleHub { get }
    var watch: ConnectionWatch { get }
    var delivery: OutcomeDelivery { get }
    /// Where its pushes wait; a pool's connections share the pool's.
    var outbox: Outbox { get }
    /// Where pushes go that are called by its name or its pid.
    var entrance: PushEntrance { get }
    var hooks: EndHooks { get }
    /// The pool that it is a connection of.
    var pool: PoolEntry? { get }
    /// The connections behind it, those included that only finish what they have.
    var connections: [ConnectionEntry] { get }
    /// The connections that take pushes.
    var serving: [ConnectionEntry] { get }
    func status(_ now: MonotonicInstant) -> ConnectionStatus

    /// Which ends of a process another one follows.
    var restart: RestartPolicy { get }
    var restartIntensity: RestartIntensity { get }
    func makeProcess(_ starter: ConnectionStarter) -> sending Process

    // What its life brings about.

    /// The process serves it from now on: it is to start.
    func processServes(_ pid: ProcessID)
    func processLeft(_ pid: ProcessID, _ reason: ExitReason)
    /// Everything that lives sends what it can by the deadline, and ends.
    func passOn(closeBy deadline: MonotonicInstant, isLeaving: Bool)
    /// A pool's process is to end.
    func stopProcess(_ end: LifeEnd)
    /// No link is up: what is on offer to it is taken if a successor `follows`, else declined.
    func settleOffers(follows: Bool)
    /// Every completion has returned: the name becomes free.
    func forget()
}

/// What the runtime does when a connection or a pool ends.
struct EndHooks: Sendable {
    /// No process may follow: called first.
    let release: @Sendable (any Destination) -> Void
    /// Every completion has returned: the name becomes free.
    let forget: @Sendable (any Destination) -> Void
}

extension Destination {
    var room: SharedWaitingRoom { outbox.room }

    var pid: ProcessID? { life.pid }

    /// The live process, or the last one.
    var latestPid: ProcessID? { hub.pid }

    /// How it ended; nil while a push may still go out.
    var end: LifeEnd? { life.end }

    /// Why no push goes out any more; nil while one may.
    var endError: PushError? { end == nil ? nil : PushError(LookupError(ended: self)) }

    var outage: Outage? { hub.standing.outage }

    /// Why APNs refuses the credential; nil while it does not.
    var refusal: CredentialRefusal? { end?.refusal ?? room.read { $0.health.refusal } }

    /// How full it is. In flight is what was written: what a connection has taken and is about to write is nowhere for a moment.
    var load: ConnectionLoad {
        let load = room.load
        let inFlight = connections.reduce(0) { $0 + $1.watch.gauges.inFlight }
        return ConnectionLoad(inFlight: inFlight, waiting: load.waiting, limit: load.limit)
    }
}
