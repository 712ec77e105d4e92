import PushQueue
import PushSimulator

extension QueueFaultMatrix {
    /// Workers that cannot reach the queue, or APNs.
    static let networks = QueueFaultChapter(
        title: "A worker is cut off",
        remark: """
            A worker that cannot reach the queue writes nothing from 10 s after its last heartbeat on, and keeps outcomes \
            until it can store them. One that cannot reach APNs takes nothing more. A push that was written to a link that broke \
            is unknown, and is not pushed again.
            """,
        faults: [fromRedis, fromAPNs, fromBoth])

    private static let fromRedis = QueueFault(
        name: "from Redis, for longer than its lease", stores: [.redis], put: 1_200,
        expected: .init(delivered: .exactly(1_200), twice: .exactly(100))
    ) { stage in
        let first = try await stage.begin()
        first.network?.cut()
        // These answers it has, and cannot store.
        stage.apples[0].releaseAnswers()
        try await stage.takeOver(from: first)
    }

    private static let fromBoth = QueueFault(
        name: "from Redis and from APNs, for longer than its lease", stores: [.redis], put: 1_200,
        expected: .init(delivered: .exactly(1_200), twice: .exactly(100))
    ) { stage in
        let first = try await stage.begin()
        first.network?.cut()
        stage.apples[0].refuseConnections()
        await stage.apples[0].cutConnections()
        try await stage.takeOver(from: first)
    }

    private static let fromAPNs = QueueFault(
        name: "from APNs, with 100 pushes in flight", put: 1_200,
        expected: .init(delivered: .exactly(1_100), unknown: .exactly(100))
    ) { stage in
        let first = try await stage.begin()
        stage.apples[0].refuseConnections()
        await stage.apples[0].cutConnections()
        let other = try stage.worker(at: 1)
        // What it took before it knew of its link's end, it gives back.
        try await stage.rows(1_000)
        try stage.prove("another worker pushed the rest", stage.apples[1].ledger.snapshot.pushes == 900)
        try await other.stop()
        stage.apples[0].releaseAnswers()
        stage.apples[0].acceptConnections()
        try await stage.put(200)
        try await stage.rows(1_200)
        try stage.prove("then it pushed the next 200", stage.apples[0].ledger.snapshot.pushes >= 300)
        try await first.stop()
    }
}

extension QueueStage {
    /// Another worker does the work of one that is cut off; then that one is back, and does the next.
    fileprivate func takeOver(from first: StageWorker) async throws {
        let other = try worker(at: 1)
        try await rows(1_000)
        try await until("its lease is over") { !first.status.isLeased && first.status.failedCalls > 0 }
        try prove("its lease was over")
        try prove("another worker took over 100 tokens in doubt", other.status.inDoubt == 100)
        try await other.stop()
        try await mark()
        apples[0].releaseAnswers()
        apples[0].acceptConnections()
        first.network?.heal()
        try await put(200)
        try await rows(1_200)
        try prove("then it pushed the next 200, and nothing else", apples[0].ledger.snapshot.pushes == 300)
        try await first.stop()
    }
}
