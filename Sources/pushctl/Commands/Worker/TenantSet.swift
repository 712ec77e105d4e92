import PushCampaign
import PushLocking
import PushTerminal

/// The queues that a worker works on, until each has ended. They change while it works, if its file is read again.
final class TenantSet: Sendable {
    private struct State {
        /// Sorted by name.
        var tenants: [QueueTenant] = []
        /// The work on each, and a change that is under way.
        var running: [ObjectIdentifier: Task<Void, Never>] = [:]
        /// The outcomes of queues that were taken out.
        var departed: [String: Tally] = [:]
        /// Set once all are to end, with the time that pushes have.
        var stopTime: Duration?
    }

    private let make: @Sendable (WorkerQueue) -> QueueTenant
    private let onFailure: @Sendable (CommandError) -> Void
    private let onDeparture: @Sendable (String) -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - make: Makes what works on a queue. It has not begun.
    ///   - onFailure: Called with what ended the work on a queue.
    ///   - onDeparture: Called with the name of a queue that was taken out.
    init(
        make: @escaping @Sendable (WorkerQueue) -> QueueTenant, onFailure: @escaping @Sendable (CommandError) -> Void,
        onDeparture: @escaping @Sendable (String) -> Void
    ) {
        (self.make, self.onFailure, self.onDeparture) = (make, onFailure, onDeparture)
    }

    var all: [QueueTenant] { state.withLock { $0.tenants } }

    /// The outcomes of each queue, those that were taken out included.
    var tallies: [(name: String, tally: Tally)] {
        let (tenants, departed) = state.withLock { ($0.tenants, $0.departed) }
        let sums = tenants.reduce(into: departed) { $0[$1.name] = ($0[$1.name] ?? Tally()).adding($1.tally) }
        return sums.sorted { $0.key < $1.key }.map { (name: $0.key, tally: $0.value) }
    }

    // MARK: The beginning

    /// Opens all queues. With several, one that cannot begin is suspended, see ``QueueTenant/run()``.
    ///
    /// - Throws: What keeps a single queue, or all because of their place, from the beginning.
    func begin(_ queues: [WorkerQueue], isAlone: Bool) async throws(CommandError) {
        let tenants = queues.map(make)
        for tenant in tenants {
            do throws(CommandError) { try await tenant.begin() } catch { if isAlone { throw error } }
        }
        if let failure = tenants.first?.failure, tenants.allSatisfy(\.placeFailed) { throw failure }
        state.withLock { $0.tenants = tenants }
    }

    /// Works on all queues until each has ended. One that fails ends no other.
    func run() async {
        let (tenants, stopTime) = state.withLock { ($0.tenants, $0.stopTime) }
        if let stopTime { stop(within: stopTime) }
        for tenant in tenants { start(tenant) }
        while let task = state.withLock({ $0.running.values.first }) { await task.value }
    }

    @discardableResult
    private func start(_ tenant: QueueTenant) -> Task<Void, Never> {
        track(tenant) { [onFailure] in
            if let failure = await tenant.run() { onFailure(failure) }
        }
    }

    /// Keeps ``run()`` waiting until the work has ended.
    private func track(_ owner: AnyObject, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        let id = ObjectIdentifier(owner)
        return state.withLock { [self] state in
            let task = Task {
                await work()
                self.state.withLock { $0.running[id] = nil }
            }
            state.running[id] = task
            return task
        }
    }

    // MARK: Changes

    /// Begins and ends what the file says now, and returns once that is done. Changes come one after another.
    ///
    /// A queue that needs another connection gets it once the pushes of the old one have ended: no push is on both.
    ///
    /// - Parameter time: How long pushes of what ends may take.
    func apply(_ changes: QueueChanges, to queues: [WorkerQueue], within time: Duration) async {
        let new = Dictionary(queues.map { ($0.name, $0) }) { first, _ in first }
        let old = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
        for name in changes.paced { if let queue = new[name] { old[name]?.pace(queue) } }
        let change = track(self) {
            await withTaskGroup { group in
                for name in changes.added + changes.replaced + changes.removed {
                    group.addTask {
                        if let tenant = old[name] { await self.remove(tenant, within: time) }
                        if let queue = new[name] { await self.add(queue) }
                    }
                }
            }
        }
        await change.value
    }

    private func add(_ queue: WorkerQueue) async {
        let tenant = make(queue)
        // If it cannot begin, it is suspended.
        do throws(CommandError) { try await tenant.begin() } catch {}
        let stopTime = state.withLock { state in
            state.tenants.append(tenant)
            state.tenants.sort { $0.name < $1.name }
            return state.stopTime
        }
        if let stopTime { tenant.stop(within: stopTime) }
        start(tenant)
    }

    private func remove(_ tenant: QueueTenant, within time: Duration) async {
        tenant.stop(within: time)
        await state.withLock { $0.running[ObjectIdentifier(tenant)] }?.value
        await tenant.close()
        let tally = tenant.tally
        state.withLock { state in
            state.tenants.removeAll { $0 === tenant }
            state.departed[tenant.name] = (state.departed[tenant.name] ?? Tally()).adding(tally)
        }
        onDeparture(tenant.name)
    }

    // MARK: The end

    /// Whether all are to end.
    var isStopping: Bool { state.withLock { $0.stopTime != nil } }

    /// Ends all. Called again, only an earlier end counts.
    func stop(within time: Duration) {
        let tenants = state.withLock { state in
            state.stopTime = min(time, state.stopTime ?? time)
            return state.tenants
        }
        for tenant in tenants { tenant.stop(within: time) }
    }
}
