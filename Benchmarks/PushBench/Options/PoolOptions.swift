import ArgumentParser
import SupervisedPush

/// What is pushed through: one connection, or a pool.
struct PoolOptions: ParsableArguments {
    @Option(help: "Push through a pool of this many connections, not through a single one.")
    var pool: Int?

    /// Starts it under this name. Returns once every connection is up.
    func connect(_ name: String, _ config: PushConnection.Configuration, in runtime: PushRuntime) async throws {
        guard let pool else {
            try runtime.connect(name: name, config: config)
            return try await runtime.connection(named: name).waitUntilUp()
        }
        // The owner hears of each connection; `waitUntilUp` returns with the first.
        let owner = Mailbox<LifecycleMessage>()
        try runtime.connect(name: name, size: pool, config: config, owner: owner)
        var up: Set<ProcessID> = []
        while up.count < pool {
            guard let message = await owner.receive(timeout: .seconds(60)) else {
                throw BenchError("\(up.count) of the pool's \(pool) connections came up")
            }
            if case .connectionUp(let pid, _, _) = message { up.insert(pid) }
        }
    }
}
