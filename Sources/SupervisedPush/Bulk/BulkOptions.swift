/// How a bulk of pushes goes out.
public struct BulkOptions: Sendable {
    /// How fast at most; nil, the default: as fast as APNs takes them.
    public var rate: PushRate?
    /// How long there may be no link before the bulk ends with an error. Nothing is read meanwhile. Default 300 s; zero ends
    /// it at once.
    public var maxOutage: Duration
    /// What holds for each push. Its timeout counts from the latest write, whatever it says here: waiting has no timeout. Nor
    /// does ``PushOptions/whenFull`` mean anything: where the queue is full, a bulk's pushes wait for room.
    public var push: PushOptions

    /// Makes options; each has a default.
    public init(
        rate: PushRate? = nil, maxOutage: Duration = .seconds(300), push: PushOptions = PushOptions()
    ) {
        self.rate = rate
        self.maxOutage = maxOutage
        self.push = push
    }

    /// The options of each push, as they are in a bulk.
    var ofEachPush: PushOptions {
        var options = push
        options.timeoutStart = .write
        options.whenFull = .wait
        return options
    }
}
