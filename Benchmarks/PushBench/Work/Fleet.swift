import SupervisedPush

/// Many connections of one runtime to one server, dialled a few hundred at a time.
struct Fleet: Sendable {
    let runtime: PushRuntime
    let names: [String]

    /// Returns when all are up and each was answered one push.
    init(
        _ count: Int, _ config: PushConnection.Configuration, _ work: Work, in runtime: PushRuntime, from first: Int = 0
    )
        async throws
    {
        self.runtime = runtime
        names = (first..<first + count).map { "connection \($0)" }
        for start in stride(from: 0, to: count, by: 250) {
            let batch = names[start..<min(count, start + 250)]
            for name in batch { try runtime.connect(name: name, config: config) }
            for name in batch {
                try await runtime.connection(named: name).waitUntilUp(timeout: .seconds(60))
                _ = try await runtime.push(name: name, work.notification(0), to: work.token(0))
            }
        }
    }
}
