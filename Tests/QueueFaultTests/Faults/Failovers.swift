import PushQueue
import PushQueueRedis
import PushSimulator
import QueueTestSupport
import SupervisedPush

extension QueueFaultMatrix {
    /// What happens to the servers behind an address that a connection follows.
    static let failovers = QueueFaultChapter(
        title: "Sentinels and a cluster put another server in place of the queue's",
        remark: """
            Nothing is restarted and no name is moved: the connections of the worker and the producer ask the Sentinels of their \
            address, or go where a node of the cluster sends them. The address of the cluster is that of a node that does not have \
            the queue. The Sentinel and the nodes are real ones, and decide by themselves.
            """,
        faults: [sentinel, cluster, move])

    private static let sentinel = QueueFault(
        name: "kill -9 of the primary, and a Sentinel promotes its replica", stores: [.redis], put: 1_200,
        expected: .init(delivered: .exactly(1_200))
    ) { stage in
        let primary = try stage.redis
        _ = stage.keep(try RedisServer(.init(appendOnly: true, replicaOf: primary)))
        let sentinel = stage.keep(try RedisSentinel(watching: primary))
        try await stage.until("the Sentinel has found the replica") { try sentinel.knowsReplica() }
        try await stage.failOver(at: sentinel.url) { try sentinel.kill(primary) }
    }

    private static let cluster = QueueFault(
        name: "kill -9 of the queue's node, and the cluster promotes its replica", stores: [.redis], put: 1_200,
        expected: .init(delivered: .exactly(1_200))
    ) { stage in
        let cluster = stage.keep(try await RedisCluster())
        let owner = try cluster.owner(of: QueueStage.key)
        let replica = try await cluster.addReplica(of: owner)
        try await stage.failOver(at: try cluster.stranger(to: QueueStage.key).url) {
            try await cluster.kill(owner, replacedBy: replica)
        }
    }

    private static let move = QueueFault(
        name: "the queue's slot moves to another node of the cluster, with ASK and TRYAGAIN in between",
        stores: [.redis], put: 1_200, expected: .init(delivered: .exactly(1_200))
    ) { stage in
        let cluster = stage.keep(try await RedisCluster())
        let target = try cluster.stranger(to: QueueStage.key)
        let worker = try await stage.follow(target.url)
        try await stage.put(1_000)
        try await stage.pushes(200, at: 0)
        try cluster.beginToMove(QueueStage.key, to: target)
        try await stage.until("a call fails") { worker.status.lastError?.contains("TRYAGAIN") == true }
        try stage.prove("calls of the worker failed while the slot was on its way")
        try cluster.moveKeys(QueueStage.key, to: target)
        // Now the old node answers ASK, and the new one TRYAGAIN to a script that names keys which do not exist.
        let before = worker.status.failedCalls
        try await stage.until("a call fails") { worker.status.failedCalls > before }
        try cluster.endMove(QueueStage.key, to: target)
        try await stage.resume(worker)
    }
}

extension QueueStage {
    /// The queue's stream.
    static let key = "push:{\(name)}"

    /// Leads the producer and the judge to an address, and starts a worker there.
    fileprivate func follow(_ url: String) async throws -> StageWorker {
        try network?.lead(to: url)
        apples[0].delayAnswers(by: .fixed(.milliseconds(50)))
        return try worker(at: 0, maxTokens: 100, url: url)
    }

    /// A worker pushes 1,000 tokens. Then its server is gone.
    ///
    /// - Parameter strike: Ends the server, whose replica has all that was put in.
    fileprivate func failOver(at url: String, _ strike: () async throws -> Void) async throws {
        let worker = try await follow(url)
        try await put(200)
        try await rows(200)
        // Then nothing moves until the server is gone, and the replica has all.
        apples[0].holdAnswers()
        try await put(800)
        try await pushes(300, at: 0)
        let client = try RedisConnection(.patient(url))
        try await catchUp(client)
        let before = client.session?.address
        try await strike()
        try prove("the worker was pushing", apples[0].ledger.snapshot.pushes < 1_000)
        apples[0].releaseAnswers()
        try await until("another server has the queue") {
            _ = try await client.execute([RedisCommand("EXISTS", Self.key)])
            return client.session?.address != before
        }
        try prove("the same connection leads to another server")
        try await resume(worker)
    }

    /// Puts 200 more tokens in once the queue is there again, and waits until each has its outcome.
    fileprivate func resume(_ worker: StageWorker) async throws {
        try await until("the queue answers again") {
            _ = try await store.status()
            return true
        }
        forgetRows()
        try await put(200)
        try await rows(acknowledgedTokens)
        try await worker.stop()
    }
}
