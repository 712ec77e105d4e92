extension RedisQueue {
    /// How much a queue on Redis keeps. All processes that use a queue should agree on it.
    public struct Configuration: Sendable, Hashable {
        /// How many entries may be in the queue: waiting, delayed and taken. More are refused with `full`. At least 1; the
        /// default is 1,000,000. A plain XADD does not know this number: only the server's `maxmemory` bounds it.
        public var maxEntries = 1_000_000
        /// How many outcomes are kept, at least 1, and as many of the feedback. The oldest are removed, and counted if no
        /// reader had asked for what follows them. A worker that opens the queue stores this number there, for all
        /// processes. The default is nil: the number that is stored, or 1,000,000, which take about 250 MB.
        public var maxOutcomes: Int?
        /// How many dead letters are kept, at least 1. The default is 10,000.
        public var maxDeadLetters = 10_000
        /// How long nothing is taken after the server became another one, see ``RedisQueue/serverChanged()``. The default
        /// is 2 seconds.
        public var quietAfterFailover = Duration.seconds(2)
        /// How many replicas must have what was put in and what was settled before the call returns. Default: 0, the call
        /// waits for none.
        ///
        /// With fewer of them in time, the call throws `unreachable`: it has happened on the server, and a failover may
        /// lose it. It can be repeated. The server waits with Redis' `WAIT`, and what follows on the same connection waits,
        /// too. `WAIT` makes a loss less likely and cannot exclude it: a failover may promote another replica.
        public var replicas = 0
        /// How long a call waits for the replicas, at least 1 ms. The default is 1 second. It should be shorter than a
        /// third of the connection's ``RedisConnection/Configuration/timeLimit``, because calls wait one after the other.
        public var replicaTimeout = Duration.seconds(1)

        /// Makes the default configuration.
        public init() {}
    }
}
