import PushLocking

/// One push of a batch.
package struct BatchedPush: Sendable {
    package let push: Push
    /// The caller's number for it.
    package let ticket: Int

    package init(_ push: Push, ticket: Int) { (self.push, self.ticket) = (push, ticket) }
}

/// A push of a batch that has ended.
package struct EndedPush: Sendable {
    package let ticket: Int
    package let result: Result<PushResponse, PushError>
    /// How often it was written.
    package let attempts: Int
}

/// The pushes of one caller, in batches. A batch is accepted under one lock, and outcomes that arrive together are
/// passed on together: a push costs less than in the completion form, and ends in the same ways.
package final class PushBatches: Sendable {
    private let connection: PushConnection
    private let whenEnded: @Sendable ([EndedPush]) -> Void

    /// - Parameter whenEnded: Called with pushes that ended, each once, in the order in which their answers arrived: on
    ///   the delivery queue of the connection, and within ``offer(_:options:)`` for those that the call refuses.
    package init(over connection: PushConnection, whenEnded: @escaping @Sendable ([EndedPush]) -> Void) {
        (self.connection, self.whenEnded) = (connection, whenEnded)
    }

    /// Pushes. What finds no room is refused, as in the completion form.
    ///
    /// - Parameter options: The options of each.
    /// - Returns: A handle of each, by its place; nil for those that the call refused.
    package func offer(_ pushes: [BatchedPush], options: PushOptions) -> [PushHandle?] {
        var refused: [EndedPush] = []
        defer { if !refused.isEmpty { whenEnded(refused) } }
        do throws(PushError) {
            let entrance = try connection.entrance
            return offer(pushes, options, to: entrance, &refused)
        } catch {
            refused = pushes.map { EndedPush(ticket: $0.ticket, result: .failure(error), attempts: 0) }
            return Array(repeating: nil, count: pushes.count)
        }
    }

    private func offer(
        _ pushes: [BatchedPush], _ options: PushOptions, to entrance: PushEntrance, _ refused: inout [EndedPush]
    ) -> [PushHandle?] {
        let outbox = entrance.outbox
        var handles: [PushHandle?] = []
        var offered: [OfferedPush] = []
        handles.reserveCapacity(pushes.count)
        offered.reserveCapacity(pushes.count)
        for push in pushes {
            let record = outbox.issue(push.push, options)
            do throws(PushError) {
                try outbox.check(record, options)
                offered.append(OfferedPush(record: record, outcome: receiver(of: record, push.ticket, entrance)))
                handles.append(PushHandle(record, outbox))
            } catch {
                refused.append(EndedPush(push.ticket, error, push.push.context))
                handles.append(nil)
            }
        }
        // A batch does not wait for room: its caller gets what is refused.
        let whenFull = options.whenFull ?? outbox.config.whenFull
        let refusals = outbox.offer(offered, whenFull == .wait ? .reject : whenFull, to: entrance.holder)
        guard !refusals.isEmpty else { return handles }
        let gone = Set(refusals.map(\.push.record.id))
        for place in handles.indices where handles[place].map({ gone.contains($0.id) }) ?? false {
            handles[place] = nil
        }
        for (push, error) in refusals {
            switch push.outcome {
            case .collector(_, let ticket): refused.append(EndedPush(ticket, error, push.record.context))
            case .completion(let call): call(.failure(error.carrying(push.record.context)))
            case .task, .thread, .nobody, .moved: break
            }
        }
        return handles
    }

    /// With a tracer, a span ends with each push.
    private func receiver(of record: PushRecord, _ ticket: Int, _ entrance: PushEntrance) -> OutcomeReceiver {
        guard entrance.outbox.spans != nil else { return .collector(self, ticket: ticket) }
        let room = entrance.outbox.room
        // The record has the completion, so this is a cycle until the push ends.
        let pushed = Locked<PushRecord?>(record)
        let completion: @Sendable (OutcomeReceiver.Outcome) -> Void = { [self] result in
            let attempts = pushed.withLock { $0.take() }.map { room.progress(of: $0).attempts } ?? 0
            whenEnded([EndedPush(ticket: ticket, result: result, attempts: attempts)])
        }
        return .completion(entrance.traced(completion, of: record))
    }
}

extension PushBatches: OutcomeCollector {
    func collect(_ settled: [SettledPush]) {
        whenEnded(settled.map { EndedPush(ticket: $0.ticket, result: $0.outcome, attempts: $0.attempts) })
    }
}

extension EndedPush {
    /// A push that the call refused.
    fileprivate init(_ ticket: Int, _ error: PushError, _ context: (any Sendable)?) {
        self.init(ticket: ticket, result: .failure(error.carrying(context)), attempts: 0)
    }
}
