import ProcessRuntime

/// A connection or a pool, as a name or a pid refers to it.
///
/// Both have a life, messages, and a room in which their pushes wait. Requirements of this protocol are what differs;
/// `Destination+Life.swift` has what they share.
protocol Destination: AnyObject, Sendable, Outbox.Owner {
    associatedtype Process: Behavior

    /// The name it reports; nil for an anonymous connection.
    var name: String? { get }
    /// The name under which the registry has it, if any.
    var registeredName: String? { get }
    /// Its id for the supervisor.
    var childID: String { get }
    var config: PushConnection.Configuration { get }
    var credentials: CredentialSlot { get }
    var time: any TimeSource { get }
    var life: Life<Process.Message> { get }
    /// The live process; nil between two processes and after the end.
    var pid: ProcessID? { get }
    var hub: LifecycleHub { get }
    var watch: ConnectionWatch { get }
    var delivery: OutcomeDelivery { get }
    /// Where its pushes wait. A pool's connections share the pool's outbox.
    var outbox: Outbox { get }
    /// Where pushes go that are called by its name or its pid.
    var entrance: PushEntrance { get }
    var hooks: EndHooks { get }
    /// The pool that it belongs to.
    var pool: PoolEntry? { get }
    /// Its connections, including those that only finish their pushes.
    var connections: [ConnectionEntry] { get }
    /// The connections that take pushes.
    var serving: [ConnectionEntry] { get }
    func status(_ now: MonotonicInstant) -> ConnectionStatus
    /// The pushes that wait for it; for a pool's connection, those that only it may send.
    var waitingCount: Int { get }

    /// After which ends of a process another one follows.
    var restart: RestartPolicy { get }
    var restartIntensity: RestartIntensity { get }
    func makeProcess(_ starter: ConnectionStarter) -> sending Process

    // The actions of its life.

    /// The process serves it from now on and should start.
    func processServes(_ pid: ProcessID)
    func processLeft(_ pid: ProcessID, reason: ExitReason)
    /// All that lives sends what it can until the deadline, then ends.
    func passOn(closeBy deadline: MonotonicInstant, isLeaving: Bool)
    /// Takes it out of its pool, which makes another connection if it needs one. False without a pool, and if the pool
    /// closes.
    func leavePool() -> Bool
    /// A pool's process should end.
    func stopProcess(_ end: LifeEnd)
    /// No link is up. An offered credential is adopted if a successor `follows`, otherwise it is declined.
    func resolveOffers(follows: Bool)
    /// Every completion has returned, so the name becomes free.
    func forget()
}

/// What the runtime does when a connection or a pool ends.
struct EndHooks: Sendable {
    /// No further process may start. Called first.
    let release: @Sendable (any Destination) -> Void
    /// Every completion has returned, so the name becomes free.
    let forget: @Sendable (any Destination) -> Void
}

extension Destination {
    var room: SharedWaitingRoom { outbox.room }

    var pid: ProcessID? { life.pid }

    /// The live process, or the last one.
    var latestPid: ProcessID? { hub.pid }

    /// Whether it goes on: it is neither closing nor over.
    var isOpen: Bool { life.isOpen }

    /// How it ended; nil while pushes may still go out.
    var end: LifeEnd? { life.end }

    /// Why no push can go out any more; nil while one may.
    var endError: PushError? { end == nil ? nil : PushError(LookupError(ended: self)) }

    var outage: Outage? { hub.standing.outage }

    /// Why APNs refuses the credential; nil while it does not.
    var refusal: CredentialRefusal? { end?.refusal ?? room.read { $0.health.refusal } }

    /// How full it is. In flight counts written pushes. A push that a connection has taken and is about to write is not
    /// counted for a moment.
    var load: ConnectionLoad {
        let load = room.load
        let inFlight = connections.reduce(0) { $0 + $1.watch.gauges.inFlight }
        // What waits to be sent again is the pool's: any of its connections may take it.
        return ConnectionLoad(
            inFlight: inFlight, waiting: waitingCount, retrying: pool == nil ? load.retrying : 0, limit: load.limit)
    }
}
