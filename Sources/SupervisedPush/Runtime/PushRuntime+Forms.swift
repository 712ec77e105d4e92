import Dispatch
import Locking

/// What the forms of push have in common, and where they differ.
extension PushRuntime {
    func push(_ target: PushTarget, _ push: Push, _ options: PushOptions) async throws(PushError) -> PushResponse {
        let entry = try directory.destination(target).connection(for: .device(push.deviceToken), options)
        return try await entry.answer(to: prepare(push, options, entry), options)
    }

    func push(
        _ target: PushTarget, _ push: Push, _ options: PushOptions,
        _ completion: @escaping @Sendable (OutcomeSink.Outcome) -> Void
    ) -> PushHandle {
        offer(options, completion) { () throws(PushError) in
            let entry = try directory.destination(target).connection(for: .device(push.deviceToken), options)
            return (entry, entry.issue(push, options))
        }
    }

    /// Issues a request and calls back, however that ends.
    func offer(
        _ options: PushOptions, _ completion: @escaping @Sendable (OutcomeSink.Outcome) -> Void,
        _ issue: () throws(PushError) -> (ConnectionEntry, PushRecord)
    ) -> PushHandle {
        var refusals = refusals
        do throws(PushError) {
            let (entry, record) = try issue()
            refusals = entry.delivery.refusals
            try entry.check(record, options)
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
        let entry = try directory.destination(target).connection(for: .device(push.deviceToken), options)
        let record = try prepare(push, options, entry)
        try entry.offer(record, .nobody, options.whenFull)
        return PushHandle(record, entry)
    }

    func pushBlocking(_ target: PushTarget, _ push: Push, _ options: PushOptions) throws(PushError) -> PushResponse {
        guard !RuntimeQueue.isCurrent else { throw .wouldDeadlock() }
        let entry = try directory.destination(target).connection(for: .device(push.deviceToken), options)
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

extension ConnectionEntry {
    /// Offers a request that was checked, and waits for its answer.
    func answer(to record: PushRecord, _ options: PushOptions) async throws(PushError) -> PushResponse {
        let outcome = await withTaskCancellationHandler {
            await withHandOver { handOver in
                do throws(PushError) { try offer(record, .task(handOver), options.whenFull) } catch {
                    handOver.resume(returning: .failure(error))
                }
            }
        } onCancel: {
            cancel(record)
        }
        return try outcome.get()
    }
}
