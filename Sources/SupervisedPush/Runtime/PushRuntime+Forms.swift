import Dispatch
import PushLocking

/// The forms of a call, for a push to a device or a broadcast. A request that APNs would refuse is refused here.
extension PushRuntime {
    /// Finds the connection.
    typealias Find = () throws(PushError) -> PushEntrance
    /// Gives the request its id and its times.
    typealias Issue = (Outbox) -> PushRecord

    /// Issues a request and waits for its answer.
    func answer(
        _ context: (any Sendable)?, options: PushOptions, to find: Find, _ issue: Issue
    ) async throws(PushError) -> PushResponse {
        let (entrance, record) = try carrying(context) { () throws(PushError) in
            let entrance = try find()
            let record = issue(entrance.outbox)
            try entrance.outbox.check(record, options: options)
            return (entrance, record)
        }
        let span = entrance.beginSpan(of: record)
        let outcome = await entrance.outcome(of: record, options: options)
        span?.end(outcome)
        return try outcome.get()
    }

    /// Issues a request and calls back with its outcome.
    func offer(
        _ context: (any Sendable)?, options: PushOptions,
        completion: @escaping @Sendable (OutcomeReceiver.Outcome) -> Void, to find: Find, _ issue: Issue
    ) -> PushHandle {
        let entrance: PushEntrance
        do { entrance = try find() } catch {
            return refusals.refuse(error.carrying(context), completion: completion)
        }
        do throws(PushError) {
            try entrance.outbox.checkRoom(options.whenFull)
            let record = issue(entrance.outbox)
            try entrance.outbox.check(record, options: options)
            let completion = entrance.traced(completion, of: record)
            do { try entrance.offer(record, outcome: .completion(completion), whenFull: options.whenFull) } catch {
                return entrance.outbox.delivery.refusals.refuse(
                    error.carrying(context), completion: completion, pushID: record.id)
            }
            return PushHandle(record, outbox: entrance.outbox)
        } catch {
            return entrance.outbox.delivery.refusals.refuse(error.carrying(context), completion: completion)
        }
    }

    /// Issues a request without waiting for its outcome.
    func send(
        _ context: (any Sendable)?, options: PushOptions, to find: Find, _ issue: Issue
    ) throws(PushError) -> PushHandle {
        try carrying(context) { () throws(PushError) in
            let entrance = try find()
            try entrance.outbox.checkRoom(options.whenFull)
            let record = issue(entrance.outbox)
            try entrance.outbox.check(record, options: options)
            let span = entrance.beginSpan(of: record)
            do throws(PushError) { try entrance.offer(record, outcome: .nobody, whenFull: options.whenFull) } catch {
                span?.end(refused: error)
                throw error
            }
            span?.end(refused: nil)
            return PushHandle(record, outbox: entrance.outbox)
        }
    }

    /// Issues a request and blocks the thread until it has its outcome.
    func block(
        _ context: (any Sendable)?, options: PushOptions, to find: Find, _ issue: Issue
    ) throws(PushError) -> PushResponse {
        try carrying(context) { () throws(PushError) in
            guard !RuntimeQueue.isCurrent else { throw .wouldDeadlock() }
            let entrance = try find()
            let record = issue(entrance.outbox)
            try entrance.outbox.check(record, options: options)
            let caller = BlockedCaller()
            let span = entrance.beginSpan(of: record)
            var outcome: OutcomeReceiver.Outcome
            do throws(PushError) {
                try entrance.offer(record, outcome: .thread(caller), whenFull: options.whenFull)
                outcome = caller.wait()
            } catch {
                outcome = .failure(error)
            }
            span?.end(outcome)
            return try outcome.get()
        }
    }
}

extension RefusalDelivery {
    /// Calls back that the call refused the push.
    fileprivate func refuse(
        _ error: PushError, completion: @escaping @Sendable (OutcomeReceiver.Outcome) -> Void, pushID id: PushID? = nil
    ) -> PushHandle {
        call(completion, with: error)
        return PushHandle(refused: id ?? error.pushID ?? PushID(number: 0))
    }
}

extension PushEntrance {
    /// Offers a checked request and waits for its outcome.
    func outcome(of record: PushRecord, options: PushOptions) async -> OutcomeReceiver.Outcome {
        await withTaskCancellationHandler {
            await withHandOver { handOver in
                do throws(PushError) { try offer(record, outcome: .task(handOver), whenFull: options.whenFull) } catch {
                    handOver.resume(returning: .failure(error.carrying(record.context)))
                }
            }
        } onCancel: {
            outbox.cancel(record)
        }
    }

    /// The completion, after the end of the push's span if the program has a tracer.
    func traced(
        _ completion: @escaping @Sendable (OutcomeReceiver.Outcome) -> Void, of record: PushRecord
    ) -> @Sendable (OutcomeReceiver.Outcome) -> Void {
        guard let spans = outbox.spans else { return completion }
        // The record has the completion, and the span the record: the end of the span breaks the cycle.
        let span = Locked<PushSpan?>(PushSpan(spans, record: record, room: outbox.room))
        return { outcome in
            span.withLock { $0.take() }?.end(outcome)
            completion(outcome)
        }
    }

    /// Nil if the program has no tracer.
    fileprivate func beginSpan(of record: PushRecord) -> PushSpan? {
        outbox.spans.map { PushSpan($0, record: record, room: outbox.room) }
    }
}
