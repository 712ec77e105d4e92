/// How a bulk of pushes goes out.
public struct BulkOptions: Sendable {
    /// How fast at most; nil, the default: as fast as APNs takes them.
    public var rate: PushRate?
    /// How long there may be no link before the bulk ends with an error. Default 300 s; zero ends it at once.
    public var maxOutage: Duration
    /// How many elements may be open at most: read, and without an outcome that you have taken. Nil, the default: as
    /// many as the links that are up take at a time, and 256 more for each of them. A smaller window costs less where a
    /// link breaks, because fewer pushes are in flight.
    public var window: Int?
    /// How many elements may be open while no link is up; they wait for it. Default 0: nothing is read then. With a
    /// ``rate`` it means nothing, because all that had been read would go out at once.
    public var readAhead: Int
    /// What holds for each push. Its timeout counts from the latest write, whatever it says here: waiting has no
    /// timeout. Nor does ``PushOptions/whenFull`` mean anything: where the queue is full, a bulk's pushes wait for
    /// room.
    public var push: PushOptions
    /// Called once if the bulk stops while it asks its source for elements: for a source that blocks its thread, such
    /// as one that reads a pipe. Such a source should come to its end then, because the bulk's end waits for it. An
    /// asynchronous source need not be told: the task that reads it is cancelled. Called on any thread, also on that
    /// which calls ``Bulk/stop(within:)``; it must not block.
    public var onStop: (@Sendable () -> Void)?

    /// Makes options; each has a default.
    public init(
        rate: PushRate? = nil, maxOutage: Duration = .seconds(300), window: Int? = nil, readAhead: Int = 0,
        push: PushOptions = PushOptions(), onStop: (@Sendable () -> Void)? = nil
    ) {
        self.rate = rate
        self.maxOutage = maxOutage
        self.window = window
        self.readAhead = readAhead
        self.push = push
        self.onStop = onStop
    }

    /// The options of each push, as they are in a bulk.
    var ofEachPush: PushOptions {
        var options = push
        options.timeoutStart = .write
        options.whenFull = .wait
        return options
    }
}
