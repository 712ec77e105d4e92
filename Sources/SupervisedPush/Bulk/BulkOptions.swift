/// Options of a bulk.
public struct BulkOptions: Sendable {
    /// The highest rate; nil, the default: as fast as APNs accepts the pushes.
    public var rate: PushRate?
    /// How long no link may be up, or APNs may refuse the sender or not serve, before the bulk ends with an error.
    /// Default 300 s; zero ends it at once.
    public var maxOutage: Duration
    /// Whether pushes are pushed again that were refused for a reason that is neither their own nor their device's
    /// (`PushResponse/Subject/leavesPushOpen`). Default true. If false, their answer is their outcome, and the pause is
    /// probed with the next element.
    public var resendsRefused: Bool
    /// Called when the bulk pauses because APNs refuses the sender or does not serve, again for each probe that is refused,
    /// and with nil once it goes on. Called on any thread; it must not block.
    public var onPause: (@Sendable (PushPause?) -> Void)?
    /// How many elements may be open: read, and without an outcome that you have taken. Nil, the default: as many as
    /// the links that are up take at a time, plus 256 for each of them. With a smaller window fewer pushes are in
    /// flight, so fewer are affected if a link breaks.
    public var window: Int?
    /// How many elements may be open while no link is up; they wait for it. Default 0: nothing is read. Ignored with a
    /// ``rate``, because all that had been read would go out at once.
    public var readAhead: Int
    /// The options of each push. Its timeout always counts from the latest write: waiting has no timeout.
    /// ``PushOptions/whenFull`` is ignored: if the queue is full, a bulk's pushes wait for room.
    public var push: PushOptions
    /// Called once if the bulk stops while it waits for the source. Set it for a source that blocks its thread, for
    /// example one that reads a pipe. Such a source should end then, because the bulk's end waits for it. An
    /// asynchronous source does not need it: the task that reads it is cancelled. Called on any thread, including the
    /// one that calls ``Bulk/stop(within:)``; it must not block.
    public var onStop: (@Sendable () -> Void)?

    /// Makes options; each has a default.
    public init(
        rate: PushRate? = nil, maxOutage: Duration = .seconds(300), window: Int? = nil, readAhead: Int = 0,
        resendsRefused: Bool = true, push: PushOptions = PushOptions(),
        onPause: (@Sendable (PushPause?) -> Void)? = nil, onStop: (@Sendable () -> Void)? = nil
    ) {
        self.rate = rate
        self.maxOutage = maxOutage
        self.window = window
        self.readAhead = readAhead
        self.resendsRefused = resendsRefused
        self.push = push
        self.onPause = onPause
        self.onStop = onStop
    }

    /// The options of each push, adapted to a bulk.
    var ofEachPush: PushOptions {
        var options = push
        options.timeoutStart = .write
        options.whenFull = .wait
        return options
    }
}
