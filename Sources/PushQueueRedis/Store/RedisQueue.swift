import ProcessRuntime
import PushLocking
import PushQueue

/// A queue on Redis 7.0 or Valkey 7.2, or later: a stream with a consumer group of its own.
///
/// Any number of processes use it at the same time. What a worker takes is pending with it in the group `workers`,
/// until it settles it or another takes it over. Most calls are one script, so one atomic step; `PushQueueStore`
/// names the others. Calls may be made from any task.
///
/// The server must have `maxmemory-policy noeviction`: with any other, it removes pushes and reports no error. It should keep an
/// append-only file; see ``warnings``. What was acknowledged is as safe as that file: with `appendfsync everysec`, up
/// to two seconds are lost with the machine.
///
/// A producer in any language adds an entry with `XADD push:{NAME} * tokens … payload …`. Such an entry has an id that
/// is derived from its key.
public final class RedisQueue: PushQueueStore {
    struct State {
        var warnings: [String] = []
        /// How many tokens an entry had on average when entries were last taken.
        var tokensPerEntry = TakenEntry.wholeOffer
        var memory = QueueMemory()
        /// This object has seen the consumer group, so if it is gone, the queue was lost.
        var hasSeenGroup = false
        /// The group was made again after it had been seen, and no call has told so yet.
        var hasLostQueue = false
        /// The server may lack what ``memory`` knows.
        var isServerNew = false
        /// How often the server became another one.
        var changes = 0
        /// Brings the server what it lacks. Calls wait for it, because it may run beside a heartbeat.
        var catchingUp: Task<QueueError?, Never>?
        /// Until when nothing is taken.
        var quietUntil: ContinuousClock.Instant?
        private let life = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        private var settles = 0

        /// A mark that no other settle has, of any process.
        mutating func nextMark() -> [UInt8] {
            settles += 1
            return Array("\(life)-\(settles)".utf8)
        }
    }

    let keys: QueueKeys
    let configuration: Configuration
    let commands: any RedisCommands
    let waiting: any RedisCommands
    let state = Locked(State())

    /// Makes a queue; nothing is sent.
    ///
    /// - Parameters:
    ///   - name: Its name, which is a part of its keys: not empty, without braces.
    ///   - commands: A connection for all calls but ``wait(as:upTo:)``.
    ///   - waiting: A second connection to the same server. It is blocked while a worker waits, so it must not be the
    ///     first one, and only one worker may wait on it.
    ///   - configuration: How much it keeps.
    /// - Throws: `QueueError` with the code `refused` if the name cannot be used.
    public init(
        _ name: String, commands: any RedisCommands, waiting: any RedisCommands,
        configuration: Configuration = Configuration()
    ) throws(QueueError) {
        keys = try QueueKeys(name)
        self.commands = commands
        self.waiting = waiting
        self.configuration = configuration
    }

    /// Makes a queue with two connections of its own, which tell it when the server changes. They end with it.
    ///
    /// - Parameters:
    ///   - name: Its name, which is a part of its keys: not empty, without braces.
    ///   - connection: Where and how both connect.
    ///   - system: The system of their processes.
    ///   - configuration: How much it keeps.
    /// - Throws: `QueueError` with the code `refused` if the name cannot be used, `failed` if a file of TLS is missing
    ///   or not valid.
    public convenience init(
        _ name: String, connection: RedisConnection.Configuration, system: ProcessSystem = ProcessSystem(),
        configuration: Configuration = Configuration()
    ) throws(QueueError) {
        let queue = Locked(WeakQueue())
        var connection = connection
        // The node of a cluster that has the queue.
        connection.routingKey = try QueueKeys(name).stream
        let commands = try RedisConnection(connection, system: system) { session in
            if session.isAnotherServer { queue.withLock { $0.queue }?.serverChanged() }
        }
        let waiting = try RedisConnection(connection, system: system)
        try self.init(name, commands: commands, waiting: waiting, configuration: configuration)
        queue.withLock { $0.queue = self }
    }

    /// What an operator should know of the server, as sentences: what the last ``open(as:)`` found, or the last look at
    /// another server.
    public var warnings: [String] { state.withLock { $0.warnings } }

    private struct WeakQueue {
        weak var queue: RedisQueue?
    }
}
