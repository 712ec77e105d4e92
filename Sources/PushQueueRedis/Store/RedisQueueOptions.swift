/// How much a queue on Redis keeps. All processes that use a queue should agree on it.
public struct RedisQueueOptions: Sendable, Hashable {
    /// How many entries may be in the queue: waiting, delayed and taken. More are refused with `full`. At least 1; the
    /// default is 1,000,000. A plain XADD does not know this number: only the server's `maxmemory` bounds it.
    public var maxEntries = 1_000_000
    /// How many outcomes are kept, at least 1. The oldest are removed, and counted if no reader had asked for what
    /// follows them. The default is 1,000,000, which take about 250 MB.
    public var maxOutcomes = 1_000_000
    /// How many rows of feedback are kept, at least 1. The default is 1,000,000.
    public var maxFeedback = 1_000_000
    /// How many dead letters are kept, at least 1. The default is 10,000.
    public var maxDeadLetters = 10_000
    /// How long nothing is taken after the server became another one, see ``RedisQueue/serverChanged()``. The default
    /// is 2 seconds.
    public var quietAfterFailover = Duration.seconds(2)

    /// Makes the default options.
    public init() {}
}
