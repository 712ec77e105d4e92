import Foundation
import PushQueue

/// What the contract needs of a store under test: how to make one, and how time passes for it.
package struct ContractStage: Sendable {
    /// Makes an empty queue that has room for this number of entries.
    package let makeStore: @Sendable (_ maxEntries: Int) async throws -> any PushQueueStore
    /// The time by which the store delays entries.
    package let now: @Sendable () -> Date
    /// Lets this much time pass for the store: moves a clock, or waits.
    package let pass: @Sendable (Duration) async throws -> Void
    /// Makes an empty queue that removes its oldest outcomes once it has more than this number of them, or somewhat later.
    /// Without it, the clause about that checks nothing.
    package var makeCutting: (@Sendable (_ maxOutcomes: Int) async throws -> any PushQueueStore)?
    /// Puts an entry that cannot be read into a store that this stage made. Without it, the clause about such entries
    /// checks nothing.
    package var putUnreadable: (@Sendable (any PushQueueStore) async throws -> Void)?

    /// Makes a stage whose stores live by the clock of this machine, such as those on a server, whose clock no test moves.
    /// Only the steps that let a delay pass sleep, 0.4 s each; no outcome depends on how long that takes.
    package init(_ makeStore: @escaping @Sendable (_ maxEntries: Int) async throws -> any PushQueueStore) {
        self.init(makeStore, now: { Date() }, pass: { try await Task.sleep(for: $0) })
    }

    /// Makes a stage whose stores live by a clock of the test.
    package init(
        _ makeStore: @escaping @Sendable (_ maxEntries: Int) async throws -> any PushQueueStore,
        now: @escaping @Sendable () -> Date, pass: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.makeStore = makeStore
        self.now = now
        self.pass = pass
    }

    /// An empty queue that three workers have opened.
    func open(maxEntries: Int = 10_000) async throws -> any PushQueueStore {
        let store = try await makeStore(maxEntries)
        for worker in [WorkerID.ann, .bob, .eve] { try await store.open(as: worker) }
        return store
    }

    /// A time that a step of ``passDelay()`` reaches, and that nothing before it does.
    var soon: Date { now() + 0.3 }

    func passDelay() async throws { try await pass(.milliseconds(400)) }
}

extension WorkerID {
    static let ann = WorkerID("ann-1")
    static let bob = WorkerID("bob-1")
    static let eve = WorkerID("eve-1")
}
