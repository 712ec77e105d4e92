/// What a store answered to a call of a worker.
enum StoreAnswer: Sendable {
    case opened
    case took([TakenEntry])
    case recovered([TakenEntry])
    case reclaimed([TakenEntry])
    case offered
    case settled([Settlement])
    case released
    case permitted(PushPermit)
    case beaten([WorkerID: UInt64])
    case left

    /// The entries that the worker has from now on.
    var entries: [TakenEntry] {
        switch self {
        case .took(let list), .recovered(let list), .reclaimed(let list): list
        case .opened, .offered, .settled, .released, .permitted, .beaten, .left: []
        }
    }

    /// Which call it is the answer to.
    var call: WorkerWatch.Call {
        if case .beaten = self { .heartbeat } else { .other }
    }

    /// - Parameter facts: The facts of its entries.
    func event(_ facts: [WorkerMachine.Facts]) -> WorkerMachine.Event {
        switch self {
        case .opened: .opened
        case .took: .took(facts)
        case .recovered: .recovered(facts)
        case .reclaimed: .reclaimed(facts)
        case .offered: .offered
        case .settled: .settled
        case .released: .released
        case .permitted(let permit): .permitted(permit)
        case .beaten(let counters): .beaten(counters)
        case .left: .left
        }
    }
}

extension PushQueueStore {
    /// Makes the call that a worker's machine wants.
    ///
    /// - Parameter settlements: What is settled, if that is the call.
    /// - Returns: Nil for actions that are no calls.
    func answer(
        _ action: WorkerMachine.Action, as id: WorkerID, _ settlements: [Settlement]
    ) async throws(QueueError) -> StoreAnswer? {
        switch action {
        case .take(let tokens): return .took(try await take(as: id, tokens: tokens))
        case .permit(let tokens, let rate): return .permitted(try await permit(as: id, tokens: tokens, rate: rate))
        case .recover(let known): return .recovered(try await recover(as: id, besides: known))
        case .reclaim(let dead, let counter, let limit):
            return .reclaimed(try await reclaim(from: dead, at: counter, as: id, limit: limit))
        case .offer(let ends):
            try await offer(as: id, ends)
            return .offered
        case .settle:
            try await settle(as: id, settlements)
            return .settled(settlements)
        case .release(let keys):
            try await release(as: id, keys)
            return .released
        case .beat: return .beaten(try await beat(as: id))
        case .leave:
            try await leave(as: id)
            return .left
        case .wait, .push, .withdraw, .forget, .tell, .finished: return nil
        }
    }
}
