import Dispatch
import PushLocking

/// What the forms of push have in common, and where they differ.
extension PushRuntime {
    func push(_ target: PushTarget, _ push: Push, _ options: PushOptions) async throws(PushError) -> PushResponse {
        try await answer(push.context, options) { () throws(PushError) in try issue(target, push, options) }
    }

    func push(
        _ target: PushTarget, _ push: Push, _ options: PushOptions,
        _ completion: @escaping @Sendable (OutcomeSink.Outcome) -> Void
    ) -> PushHandle {
        offer(push.context, options, completion) { () throws(PushError) in try issue(target, push, options) }
    }

    func send(_ target: PushTarget, _ push: Push, _ options: PushOptions) throws(PushError) -> PushHandle {
        try send(push.context, options) { () throws(PushError) in try issue(target, push, options) }
    }

    func pushBlocking(_ target: PushTarget, _ push: Push, _ options: PushOptions) throws(PushError) -> PushResponse {
        try block(push.context, options) { () throws(PushError) in try issue(target, push, options) }
    }

    private func issue(
        _ target: PushTarget, _ push: Push, _ options: PushOptions
    ) throws(PushError) -> (PushEntrance, PushRecord) {
        let entrance = try directory.destination(target).entrance
        return (entrance, entrance.outbox.issue(push, options))
    }
}

/// The forms, for whatever is issued: a push to a device or a broadcast. What APNs would refuse anyway is refused here.
extension PushRuntime {
    /// Finds the connection and gives the request its identity and its times.
    typealias Issue = () throws(PushError) -> (PushEntrance, PushRecord)

    /// Issues a request and waits for its answer.
    func answer(
        _ context: (any Sendable)?, _ options: PushOptions, _ issue: Issue
    ) async throws(PushError) -> PushResponse {
        let (entrance, record) = try carrying(context) { () throws(PushError) in
            let (entrance, record) = try issue()
            try entrance.outbox.check(record, options)
            return (entrance, record)
        }
        return try await entrance.answer(to: record, options)
    }

    /// Issues a request and calls back, however that ends.
    func offer(
        _ context: (any Sendable)?, _ options: PushOptions,
        _ completion: @escaping @Sendable (OutcomeSink.Outcome) -> Void, _ issue: Issue
    ) -> PushHandle {
        var refusals = refusals
        do throws(PushError) {
            let (entrance, record) = try issue()
            refusals = entrance.outbox.delivery.refusals
            try entrance.outbox.check(record, options)
            do { try entrance.offer(record, .completion(completion), options.whenFull) } catch {
                refusals.call { completion(.failure(error.carrying(context))) }
            }
            return PushHandle(record, entrance.outbox)
        } catch {
            refusals.call { completion(.failure(error.carrying(context))) }
            return PushHandle(refused: error.pushID ?? PushID(number: 0))
        }
    }

    /// Issues a request that nobody waits for.
    func send(
        _ context: (any Sendable)?, _ options: PushOptions, _ issue: Issue
    ) throws(PushError) -> PushHandle {
        try carrying(context) { () throws(PushError) in
            let (entrance, record) = try issue()
            try entrance.outbox.check(record, options)
            try entrance.offer(record, .nobody, options.whenFull)
            return PushHandle(record, entrance.outbox)
        }
    }

    /// Issues a request and blocks the thread until its outcome is there.
    func block(
        _ context: (any Sendable)?, _ options: PushOptions, _ issue: Issue
    ) throws(PushError) -> PushResponse {
        try carrying(context) { () throws(PushError) in
            guard !RuntimeQueue.isCurrent else { throw .wouldDeadlock() }
            let (entrance, record) = try issue()
            try entrance.outbox.check(record, options)
            let caller = BlockedCaller()
            try entrance.offer(record, .thread(caller), options.whenFull)
            return try caller.wait().get()
        }
    }
}

extension PushEntrance {
    /// Offers a request that was checked, and waits for its answer.
    func answer(to record: PushRecord, _ options: PushOptions) async throws(PushError) -> PushResponse {
        let outcome = await withTaskCancellationHandler {
            await withHandOver { handOver in
                do throws(PushError) { try offer(record, .task(handOver), options.whenFull) } catch {
                    handOver.resume(returning: .failure(error.carrying(record.context)))
                }
            }
        } onCancel: {
            outbox.cancel(record)
        }
        return try outcome.get()
    }
}
