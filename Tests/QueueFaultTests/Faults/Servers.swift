import PushQueue
import PushQueueRedis
import PushSimulator
import QueueTestSupport
import SupervisedPush

extension QueueFaultMatrix {
    /// What happens to a Redis server.
    static let servers = QueueFaultChapter(
        title: "The Redis server fails",
        remark: """
            Redis keeps an append-only file, synchronized before each answer. A replica lags: it lacks the last calls of the \
            primary that it replaces. The worker repeats its settles of the last 5 s there, and keeps what it has in flight.
            """,
        faults: [killedServer, failover, clockBehind, full, flushed])

    private static let killedServer = QueueFault(
        name: "kill -9 of Redis, three times, and a start from its append-only file", stores: [.redis], put: 6_000,
        expected: .init(delivered: .exactly(6_000))
    ) { stage in
        let server = try stage.redis
        let worker = try stage.worker(at: 0, maxTokens: 200)
        stage.apples[0].delayAnswers(by: .fixed(.milliseconds(50)))
        try await stage.put(6_000)
        for count in [500, 1_500, 2_500] {
            try await stage.pushes(count, at: 0)
            server.kill()
            let failed = worker.status.failedCalls
            try await stage.until("a call fails") { worker.status.failedCalls > failed }
            try server.start()
        }
        try stage.prove("calls of the worker failed, each time")
        try await stage.rows(6_000)
        try await worker.stop()
    }

    private static let failover = QueueFault(
        name: "a failover to a replica that lacks some outcomes", stores: [.redis], put: 1_200,
        expected: .init(delivered: .exactly(1_200))
    ) { try await $0.failOver() }

    private static let clockBehind = QueueFault(
        name: "the same, and the clock of the new primary is years behind", stores: [.redis], put: 1_201,
        expected: .init(delivered: .exactly(1_201))
    ) { stage in
        try await stage.failOver(answers: 101) {
            // The old primary has an entry of the year 2055, taken by the worker. The new one never heard of it.
            let id = EntryID()
            let token = try DeviceToken(String(repeating: "cd", count: 32))
            try await stage.addRecord(
                at: "2700000000000-0",
                ["id", "\(id)", "tokens", token.hex, "payload", #"{"aps":{"alert":"Boarding"}}"#])
            stage.acknowledged([try QueueEntry(.alert(title: "", body: ""), to: [token], id: id)])
            try await stage.pushes(1_001, at: 0)
        }
    }

    private static let full = QueueFault(
        name: "Redis has no memory left", stores: [.redis], put: 2_200, expected: .init(delivered: .exactly(2_200))
    ) { stage in
        let redis = try stage.client()
        stage.apples[0].delayAnswers(by: .fixed(.milliseconds(50)))
        let worker = try stage.worker(at: 0, maxTokens: 200)
        try await stage.put(2_000)
        try await stage.pushes(100, at: 0)
        _ = try await redis.execute([RedisCommand("CONFIG", "SET", "maxmemory", "1")])
        var code: QueueError.Code?
        do { try await stage.put(50) } catch let error as QueueError { code = error.code }
        try stage.prove("a put is refused as `full`", code == .full)
        try await stage.rows(2_000)
        _ = try await redis.execute([RedisCommand("CONFIG", "SET", "maxmemory", "0")])
        try await stage.put(200)
        try await stage.rows(2_200)
        try await worker.stop()
    }

    private static let flushed = QueueFault(
        name: "FLUSHALL, with 100 pushes in flight and 900 tokens waiting", stores: [.redis], put: 1_200,
        expected: .init(delivered: .exactly(300), lost: .exactly(900))
    ) { stage in
        let worker = try await stage.begin()
        _ = try await stage.client().execute([RedisCommand("FLUSHALL")])
        try await stage.put(200)
        stage.apples[0].releaseAnswers()
        try await stage.rows(300)
        try stage.prove("the worker is told that the queue is lost", worker.status.queueLosses > 0)
        try await worker.stop()
    }
}

extension QueueStage {
    /// The server.
    var redis: RedisServer {
        get throws {
            guard let server else { throw Failed(description: "The queue is not on Redis.") }
            return server
        }
    }

    /// A connection for what an operator does.
    func client() throws -> RedisConnection { try RedisConnection(.patient(redis.url)) }

    /// Adds a record as a producer in another language does.
    func addRecord(at id: String = "*", _ fields: [String]) async throws {
        let command = RedisCommand(words: (["XADD", "push:{\(Self.name)}", id] + fields).map { Array($0.utf8) })
        if case .error(let text)? = try await client().execute([command]).first { throw Failed(description: text) }
    }

    /// The primary ends, and a replica takes its place that lacks its last calls.
    ///
    /// - Parameters:
    ///   - answers: How many pushes are answered after the replica has heard the last. The others are in flight until it is the primary.
    ///   - meanwhile: What else happens in that time. It waits until its pushes are in flight, too.
    fileprivate func failOver(answers: Int = 50, _ meanwhile: () async throws -> Void = {}) async throws {
        var options = RedisServer.Options()
        options.replicaOf = try redis
        let replica = try keep(RedisServer(options))
        let primary = try client()
        try await catchUp(primary)
        let successor = try RedisConnection(.patient(replica.url))
        _ = try await successor.execute([RedisCommand("PING")])
        let worker = try worker(at: 0, maxTokens: 200)
        try await put(900)
        try await until("the worker has stored the first outcomes") { worker.status.settled == 900 }
        // Nothing moves until the replica is on its own.
        apples[0].holdAnswers()
        try await put(100)
        try await pushes(1_000, at: 0)
        try await catchUp(primary)
        _ = try await successor.execute([RedisCommand("REPLICAOF", "NO", "ONE")])
        try await meanwhile()
        // It gets the answers while it does not reach the queue, and so stores their outcomes by one call: of two calls with more than
        // five seconds between them, it would remember only the later one.
        worker.network?.cut()
        let left = acknowledgedTokens - 900 - answers
        apples[0].releaseAnswers(answers)
        try await until("the worker has the answers") { worker.status.inFlight == left }
        worker.network?.heal()
        try await until("the worker has stored their outcomes") { worker.status.settled == 900 + answers }
        let length = RedisCommand("XLEN", "push:{\(Self.name)}:o")
        let lengths = [try await primary.execute([length]), try await successor.execute([length])]
        try prove("the replica lacks some outcomes", lengths[0] != lengths[1])
        try redis.kill()
        for network in [network, worker.network] { try network?.lead(to: replica) }
        worker.queue?.serverChanged()
        forgetRows()
        apples[0].releaseAnswers()
        try await put(200)
        try await rows(acknowledgedTokens)
        try await worker.stop()
    }

    /// Waits until the replica has all that the primary was told.
    func catchUp(_ primary: RedisConnection) async throws {
        try await until("the replica has all") {
            // WAIT asks for the replica to have this connection's last write.
            let replies = try await primary.execute([
                RedisCommand("SET", "{\(Self.name)}last", "write"), RedisCommand("WAIT", "1", "1000"),
            ])
            return replies.last == .integer(1)
        }
    }
}
