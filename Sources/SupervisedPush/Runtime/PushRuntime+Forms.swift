import Dispatch

/// What the forms of push have in common, and where they differ.
extension PushRuntime {
    func push(_ target: PushTarget, _ push: Push, _ options: PushOptions) async throws(PushError) -> PushResponse {
        let entry = try directory.destination(target).connection(for: push, options)
        let record = try prepare(push, options, entry)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(PushError) { try entry.offer(record, .task(continuation), options.whenFull) } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        } onCancel: {
            entry.cancel(record)
        }
        return try outcome.get()
    }

    func push(
        _ target: PushTarget, _ push: Push, _ options: PushOptions,
        _ completion: @escaping @Sendable (OutcomeSink.Outcome) -> Void
    ) -> PushHandle {
        var refusals = refusals
        do {
            let entry = try directory.destination(target).connection(for: push, options)
            refusals = entry.delivery.refusals
            let record = try prepare(push, options, entry)
            do { try entry.offer(record, .completion(completion), options.whenFull) } catch {
                refusals.call { completion(.failure(error)) }
            }
            return PushHandle(record, entry)
        } catch {
            refusals.call { completion(.failure(error)) }
            return PushHandle(refused: error.pushID ?? PushID(number: 0))
        }
    }

    func send(_ target: PushTarget, _ push: Push, _ options: PushOptions) throws(PushError) -> PushHandle {
        let entry = try directory.destination(target).connection(for: push, options)
        let record = try prepare(push, options, entry)
        try entry.offer(record, .nobody, options.whenFull)
        return PushHandle(record, entry)
    }

    func pushBlocking(_ target: PushTarget, _ push: Push, _ options: PushOptions) throws(PushError) -> PushResponse {
        guard !RuntimeQueue.isCurrent else { throw .wouldDeadlock() }
        let entry = try directory.destination(target).connection(for: push, options)
        let record = try prepare(push, options, entry)
        let caller = BlockedCaller()
        try entry.offer(record, .thread(caller), options.whenFull)
        return try caller.wait().get()
    }

    /// Gives the push its identity and its times, and refuses what APNs would refuse anyway.
    private func prepare(
        _ push: Push, _ options: PushOptions, _ entry: ConnectionEntry
    ) throws(PushError) -> PushRecord {
        let record = entry.issue(push, options)
        try entry.check(record, options)
        return record
    }
}
