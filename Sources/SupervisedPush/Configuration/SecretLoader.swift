import PushLocking

/// Loads bytes with the caller's code, for example from a secret store or a key service. Concurrent callers share one
/// load.
final class SecretLoader: Sendable {
    typealias Load = @Sendable () async throws -> [UInt8]

    /// A readable name of the bytes' origin.
    let name: String
    private let load: Load
    private let flight = Locked<Task<[UInt8], any Error>?>(nil)

    init(_ name: String, load: @escaping Load) {
        self.name = name
        self.load = load
    }

    func bytes() async throws -> [UInt8] {
        let task = flight.withLock { flight in
            if let flight { return flight }
            let task = Task(executorPreference: QueueExecutor(label: "push.loader")) { [load] in
                try await load()
            }
            flight = task
            return task
        }
        defer { flight.withLock { if $0 == task { $0 = nil } } }
        return try await task.value
    }
}
