import FoundationEssentials
import PushQueue

/// What the contract needs of a store under test: how to make one, and how time passes for it.
public struct QueueStoreStage: Sendable {
    /// Makes an empty queue that has room for this number of entries, and removes its oldest outcomes once it has more
    /// than this number of them, or somewhat later; nil for what a store does without an option.
    public typealias MakeStore = @Sendable (_ maxEntries: Int, _ maxOutcomes: Int?) async throws -> any PushQueueStore

    private let makeStore: MakeStore
    /// Puts an entry that cannot be read into a store that this stage made; nil for a store that can have none.
    let putUnreadable: (@Sendable (any PushQueueStore) async throws -> Void)?
    /// Stores an outcome that cannot be read behind the others; nil for a store that can have none.
    let storeUnreadable: (@Sendable (any PushQueueStore) async throws -> Void)?
    /// The time by which the store delays entries.
    let now: @Sendable () -> Date
    /// Lets this much time pass for the store: moves a clock, or waits.
    let pass: @Sendable (Duration) async throws -> Void

    /// Makes a stage. Its stores live by a clock of the test, or by that of this machine, such as those on a server, whose
    /// clock no test moves. Then only the steps that let a delay pass sleep, 0.4 s each; no outcome depends on how long
    /// that takes.
    ///
    /// - Parameters:
    ///   - makeStore: Makes an empty queue.
    ///   - putUnreadable: Puts an entry that cannot be read into a store, behind its back. Nil, the default: it can have none.
    ///   - storeUnreadable: Stores an outcome that cannot be read behind the others. Nil, the default: it can have none.
    ///   - now: The time by which the store delays entries. Default: this machine's.
    ///   - pass: Lets this much time pass for the store. Default: it sleeps.
    public init(
        _ makeStore: @escaping MakeStore,
        putUnreadable: (@Sendable (any PushQueueStore) async throws -> Void)? = nil,
        storeUnreadable: (@Sendable (any PushQueueStore) async throws -> Void)? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        pass: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.makeStore = makeStore
        self.putUnreadable = putUnreadable
        self.storeUnreadable = storeUnreadable
        self.now = now
        self.pass = pass
    }

    /// An empty queue that three workers have opened.
    func open(maxEntries: Int = 10_000, maxOutcomes: Int? = nil) async throws -> any PushQueueStore {
        let store = try await makeStore(maxEntries, maxOutcomes)
        for worker in [WorkerID.ann, .bob, .eve] { try await store.open(as: worker) }
        return store
    }

    /// A time that a step of ``passDelay()`` reaches. On a busy machine others reach it, too.
    var soon: Date { now() + 0.3 }

    func passDelay() async throws { try await pass(.milliseconds(400)) }
}

extension WorkerID {
    static let ann = WorkerID("ann-1")
    static let bob = WorkerID("bob-1")
    static let eve = WorkerID("eve-1")
}
