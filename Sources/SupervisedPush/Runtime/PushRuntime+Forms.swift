import Dispatch
import PushLocking

/// The forms of a call, for a push to a device or a broadcast. A request that APNs would refuse is refused here.
extension PushRuntime {
    /// Finds the connection and gives the request its id and its times.
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
        guard let spans = entrance.outbox.spans else { return try await entrance.answer(to: record, options) }
        let span = spans.begin(record)
        let outcome: OutcomeReceiver.Outcome
        do throws(PushError) { outcome = .success(try await entrance.answer(to: record, options)) } catch {
            outcome = .failure(error)
        }
        spans.end(span, outcome, attempts: entrance.attempts(of: record))
        return try outcome.get()
    }

    /// Issues a request and calls back with its outcome.
    func offer(
        _ context: (any Sendable)?, _ options: PushOptions,
        _ completion: @escaping @Sendable (OutcomeReceiver.Outcome) -> Void, _ issue: Issue
    ) -> PushHandle {
        var refusals = refusals
        do throws(PushError) {
            let (entrance, record) = try issue()
            refusals = entrance.outbox.delivery.refusals
            try entrance.outbox.check(record, options)
            let completion = entrance.ending(entrance.outbox.spans, of: record, completion)
            do { try entrance.offer(record, .completion(completion), options.whenFull) } catch {
                refusals.call { completion(.failure(error.carrying(context))) }
            }
            return PushHandle(record, entrance.outbox)
        } catch {
            refusals.call { completion(.failure(error.carrying(context))) }
            return PushHandle(refused: error.pushID ?? PushID(number: 0))
        }
    }

    /// Issues a request without waiting for its outcome.
    func send(
        _ context: (any Sendable)?, _ options: PushOptions, _ issue: Issue
    ) throws(PushError) -> PushHandle {
        try carrying(context) { () throws(PushError) in
            let (entrance, record) = try issue()
            try entrance.outbox.check(record, options)
            let spans = entrance.outbox.spans
            let span = spans?.begin(record)
            do throws(PushError) { try entrance.offer(record, .nobody, options.whenFull) } catch {
                if let span { spans?.end(span, refused: error) }
                throw error
            }
            if let span { spans?.end(span, refused: nil) }
            return PushHandle(record, entrance.outbox)
        }
    }

    /// Issues a request and blocks the thread until it has its outcome.
    func block(
        _ context: (any Sendable)?, _ options: PushOptions, _ issue: Issue
    ) throws(PushError) -> PushResponse {
        try carrying(context) { () throws(PushError) in
            guard !RuntimeQueue.isCurrent else { throw .wouldDeadlock() }
            let (entrance, record) = try issue()
            try entrance.outbox.check(record, options)
            let (caller, spans) = (BlockedCaller(), entrance.outbox.spans)
            let span = spans?.begin(record)
            var outcome: OutcomeReceiver.Outcome
            do throws(PushError) {
                try entrance.offer(record, .thread(caller), options.whenFull)
                outcome = caller.wait()
            } catch {
                outcome = .failure(error)
            }
            if let span { spans?.end(span, outcome, attempts: entrance.attempts(of: record)) }
            return try outcome.get()
        }
    }
}

extension PushEntrance {
    /// Offers a checked request and waits for its answer.
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

/// Spans, if the program has a tracer.
extension PushEntrance {
    fileprivate func attempts(of record: PushRecord) -> Int { outbox.room.progress(of: record).attempts }

    /// The completion, preceded by the end of the push's span.
    fileprivate func ending(
        _ spans: PushSpans?, of record: PushRecord, _ completion: @escaping @Sendable (OutcomeReceiver.Outcome) -> Void
    ) -> @Sendable (OutcomeReceiver.Outcome) -> Void {
        guard let spans else { return completion }
        let span = spans.begin(record)
        return { outcome in
            spans.end(span, outcome, attempts: attempts(of: record))
            completion(outcome)
        }
    }
}
