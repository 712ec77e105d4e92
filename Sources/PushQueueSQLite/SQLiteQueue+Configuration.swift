extension SQLiteQueue {
    /// How a ``SQLiteQueue`` keeps its entries and outcomes.
    public struct Configuration: Sendable {
        /// What survives a loss of power.
        public enum Durability: Sendable {
            /// A commit survives the end of the process. A loss of power may take the last ones. The default.
            case process
            /// A commit survives a loss of power: each waits until the disk has it, some milliseconds.
            case machine
        }

        /// What survives a loss of power.
        public var durability = Durability.process
        /// Whether a missing file, or a missing queue of this name in the file, is made. If not, calls throw `refused`.
        /// The default: true.
        public var creates = true
        /// How many entries may wait, be delayed or be taken, from 0. More are refused with `full`. The default: 1,000,000.
        public var maxEntries = 1_000_000
        /// How many outcomes are kept, from 0, and as many of the feedback. Then the oldest are removed in groups of up to
        /// 256, and counted if they were not read. A worker that opens the queue stores this number there, for all processes.
        /// The default: nil, the number that is stored, or 1,000,000.
        public var maxOutcomes: Int?
        /// How many dead letters are kept, from 0. Then the oldest are removed. The default: 10,000.
        public var maxDeadLetters = 10_000
        /// How many bytes of the file system stay free for settling, from 0: with fewer, entries are refused with `full`.
        /// The default: 16 MiB.
        public var spareBytes = 16 << 20
        /// How long a call waits while another process writes; then it throws `unreachable`. Up to a day. The default: 5 s.
        public var busyTimeout = Duration.seconds(5)

        /// How many pages the file may have, for tests of a full disk; nil for as many as the disk holds.
        package var maxPages: Int?

        /// Makes the default configuration.
        public init() {}
    }
}
