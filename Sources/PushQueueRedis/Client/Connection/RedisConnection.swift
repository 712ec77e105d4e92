import ProcessRuntime
import PushLocking
import PushQueue
import PushTransport

/// A connection to a Redis or Valkey server that connects again by itself.
///
/// Calls of any number of tasks share it: their commands leave in one flush, and the server answers them in order.
/// While there is no connection, calls wait until their time limit. Each call ends exactly once. The connection is a
/// supervised process; releasing the object ends it, as ``close()`` does.
///
/// ```swift
/// let redis = try RedisConnection(.init(url: "rediss://worker:secret@redis.example/0"))
/// let replies = try await redis.execute([RedisCommand("XLEN", "push:campaign")])
/// await redis.close()
/// ```
/// A command that waits, such as XREAD with BLOCK, holds up what comes after it: give it a connection of its own.
/// Commands with several replies or none (SUBSCRIBE, MONITOR, CLIENT REPLY) break the connection.
///
/// It follows a failover by asking. It looks the server's name up, or asks the Sentinels of the address, for each
/// connection, and connects again when the server takes no writes any more. On a cluster it goes to the node that MOVED
/// names, and to the one that ASK names for that one command; see also ``RedisConnection/Configuration/routingKey``. It is
/// connected to one node: keys of several slots make it go from node to node. All members may be called from any thread.
public final class RedisConnection: RedisCommands {
    private struct State {
        var address: Address<RedisCall>?
        var session: RedisServerSession?
    }

    private static let child = "redis"

    /// How it was configured.
    public let configuration: Configuration
    let system: ProcessSystem
    let connector: any Connector
    private let supervisor: Supervisor
    private let book: RedisCallBook
    private let state: Locked<State>

    /// Makes a connection and begins to connect. It does not wait for the server: the first call does.
    ///
    /// - Parameters:
    ///   - configuration: Where and how to connect.
    ///   - system: The system of its process.
    ///   - onSession: Called after each login, before the first call is written in that session, on the connection's
    ///     queue. It must not block. By default nothing.
    /// - Throws: `QueueError` with the code `failed` if a value of the configuration is out of range, or a file of
    ///   TLS is missing or not valid.
    public convenience init(
        _ configuration: Configuration, system: ProcessSystem = ProcessSystem(),
        onSession: @escaping @Sendable (RedisServerSession) -> Void = { _ in }
    ) throws(QueueError) {
        let connector: any Connector =
            configuration.address.socketPath == nil ? SocketConnector() : UnixConnector()
        try self.init(configuration, system: system, connector: connector, onSession: onSession)
    }

    package init(
        _ configuration: Configuration, system: ProcessSystem, connector: any Connector,
        onSession: @escaping @Sendable (RedisServerSession) -> Void
    ) throws(QueueError) {
        try configuration.check()
        self.configuration = configuration
        self.system = system
        self.connector = connector
        let book = RedisCallBook(configuration)
        let state = Locked(State())
        self.book = book
        self.state = state
        supervisor = Supervisor(system: system, label: "redis.supervisor")
        let setting = RedisConnectionProcess.Setting(
            configuration: configuration, book: book,
            context: configuration.address.usesTLS ? try configuration.tls.makeContext() : nil, connector: connector
        ) { session in
            state.withLock { $0.session = session }
            onSession(session)
        }
        let spec = ChildSpec(id: Self.child) {
            let last = state.withLock { $0.session }
            let address = system.spawn(label: "redis") { RedisConnectionProcess(setting, after: last) }
            state.withLock { $0.address = address }
            return address.pid
        }
        do { _ = try supervisor.add(spec) } catch {
            throw QueueError(.failed, "The process of the connection to \(configuration) did not start: \(error).")
        }
    }

    deinit {
        book.close()
        if let pid = supervisor.release(Self.child) { system.exit(pid, .shutdown) }
    }

    /// The session that began last; nil before the first. It may be over.
    public var session: RedisServerSession? { state.withLock { $0.session } }

    /// How many commands have no answer yet, of all calls.
    public var unanswered: Int { book.unanswered }

    /// Sends commands in this order, in one flush, and returns a reply for each. An error reply of the server is a
    /// reply.
    ///
    /// The time limit is ``RedisConnection/Configuration/timeLimit``, plus the time that XREAD and XREADGROUP with BLOCK, and
    /// WAIT, may wait themselves. A time of 0, which means no end, adds nothing: give a time. Cancelling the task
    /// does not end the call.
    ///
    /// - Throws: `QueueError`. `unreachable`: not all replies came; the sentence says whether the commands were
    ///   written. They were not if there was no connection, or too many commands are unanswered already. `refused`: the
    ///   server refused the login, or TLS. `failed`: a command has no name.
    public func execute(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisReply] {
        let waits = commands.reduce(Duration.zero) { $0 + $1.ownWait }
        return try await execute(commands, within: configuration.timeLimit + waits)
    }

    /// Like ``execute(_:)``, with a time limit of its own.
    ///
    /// - Parameters:
    ///   - commands: What to send, in this order.
    ///   - limit: How long the call may take. More than zero. When a call that was written takes longer, the connection
    ///     is given up, and with it all calls that were written.
    public func execute(
        _ commands: [RedisCommand], within limit: Duration
    ) async throws(QueueError) -> [RedisReply] {
        guard !commands.isEmpty else { return [] }
        guard commands.allSatisfy({ !$0.words.isEmpty }) else {
            throw QueueError(.failed, "A Redis command has no words. Give at least its name.")
        }
        return try await follow(commands, by: system.time.now.advanced(by: limit))
    }

    /// Sends commands to the server, and follows no redirection.
    func send(_ commands: [RedisCommand], by deadline: MonotonicInstant) async throws(QueueError) -> [RedisReply] {
        let bytes = RedisCommand.wireBytes(of: commands)
        try book.enter(commands: commands.count, bytes: bytes.count)
        let result: RedisCall.Result = await withCheckedContinuation { continuation in
            let call = RedisCall(
                bytes, commands: commands.count, deadline: deadline, in: book, continuation: continuation)
            // If the process has ended, the call is released here, and so ends.
            state.withLock { $0.address }?.send(call)
        }
        return try result.get()
    }

    /// Closes the connection; it does not open again. Calls that have no answer throw `unreachable`, as do all later ones. May be
    /// repeated.
    public func close() async {
        book.close()
        await supervisor.shutdown(within: .seconds(5))
    }
}
