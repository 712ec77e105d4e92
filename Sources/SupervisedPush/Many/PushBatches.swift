import PushLocking

/// One push of a batch.
package struct BatchedPush: Sendable {
    package let push: Push
    /// Sent in place of the id that the notification would get, so that pushes with ids of their own share one.
    package let apnsID: APNSID?
    /// The caller's number for it.
    package let ticket: Int

    package init(_ push: Push, apnsID: APNSID? = nil, ticket: Int) {
        (self.push, self.apnsID, self.ticket) = (push, apnsID, ticket)
    }
}

/// A push of a batch that was accepted.
package struct AcceptedPush: Sendable {
    package let ticket: Int
    let record: PushRecord

    /// Ascends in the order of the calls.
    package var id: PushID { record.id }
}

/// The pushes of one caller, in batches. A batch is accepted under one lock, and outcomes that arrive together are
/// passed on together: a push costs less than in the completion form, and ends in the same ways.
package final class PushBatches: Sendable {
    private let target: BatchTarget
    private var outbox: Outbox { target.outbox }
    private let whenEnded: @Sendable ([SettledPush]) -> Void
    private let whenLate: @Sendable ([LatePush]) -> Void
    /// With a tracer, the spans of the pushes that have no outcome, by their tickets.
    private let spans = Locked<[Int: PushSpan]>([:])

    /// - Parameters:
    ///   - whenEnded: Called with pushes that ended, each once, in the order in which their answers arrived: on the
    ///     delivery queue of the connection, and within ``offer(_:options:)`` for those that the call refuses.
    ///   - whenLate: Called with the late ends of those whose outcome was not final, on the same queue, each once and after
    ///     its outcome.
    package init(
        over target: BatchTarget, whenEnded: @escaping @Sendable ([SettledPush]) -> Void,
        whenLate: @escaping @Sendable ([LatePush]) -> Void = { _ in }
    ) {
        (self.target, self.whenEnded, self.whenLate) = (target, whenEnded, whenLate)
    }

    /// Pushes. What finds no room is refused, as in the completion form.
    ///
    /// - Parameter options: The options of each.
    /// - Returns: Those that were accepted.
    package func offer(_ pushes: [BatchedPush], options: PushOptions) -> [AcceptedPush] {
        let call = outbox.call(options)
        let batch = pushes.map { push in
            (record: outbox.issue(push.push, apnsID: push.apnsID, options: options, at: call), ticket: push.ticket)
        }
        for push in batch { begin(push.record, push.ticket) }
        // A batch does not wait for room: its caller gets what is refused.
        let whenFull = options.whenFull ?? outbox.config.limits.whenFull
        let refused = target.offer(batch, to: self, whenFull: whenFull == .wait ? .reject : whenFull, options)
        if !refused.isEmpty { collect(refused) }
        let gone = Set(refused.map(\.ticket))
        return batch.compactMap { gone.contains($0.ticket) ? nil : AcceptedPush(ticket: $0.ticket, record: $0.record) }
    }

    /// How often a push was written.
    package func attempts(of push: AcceptedPush) -> Int { outbox.room.progress(of: push.record).attempts }

    /// Cancels a push; its one outcome still arrives.
    package func cancel(_ push: AcceptedPush) { target.cancel(push.record) }

    /// With a tracer, a span begins with each push, and ends with its outcome.
    private func begin(_ record: PushRecord, _ ticket: Int) {
        guard let tracing = outbox.spans else { return }
        let span = PushSpan(tracing, record: record, room: outbox.room)
        spans.withLock { $0[ticket] = span }
    }

}

extension PushBatches: OutcomeCollector {
    func collect(_ settled: [SettledPush]) {
        if outbox.spans != nil {
            for push in settled { spans.withLock { $0.removeValue(forKey: push.ticket) }?.end(push.outcome) }
        }
        whenEnded(settled)
    }

    func collect(late: [LatePush]) { whenLate(late) }
}
