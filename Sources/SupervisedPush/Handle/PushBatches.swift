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
    private let connection: PushConnection
    private let outbox: Outbox
    private let whenEnded: @Sendable ([SettledPush]) -> Void

    /// - Parameter whenEnded: Called with pushes that ended, each once, in the order in which their answers arrived: on
    ///   the delivery queue of the connection, and within ``offer(_:options:)`` for those that the call refuses.
    package init(over connection: PushConnection, whenEnded: @escaping @Sendable ([SettledPush]) -> Void) {
        (self.connection, self.whenEnded) = (connection, whenEnded)
        outbox = connection.destination.outbox
    }

    /// Pushes. What finds no room is refused, as in the completion form.
    ///
    /// - Parameter options: The options of each.
    /// - Returns: Those that were accepted.
    package func offer(_ pushes: [BatchedPush], options: PushOptions) -> [AcceptedPush] {
        var refused: [SettledPush] = []
        defer { if !refused.isEmpty { whenEnded(refused) } }
        do throws(PushError) {
            return offer(pushes, options, to: try connection.entrance.holder, &refused)
        } catch {
            let call = outbox.call(options)
            refused = pushes.map {
                SettledPush(refused: outbox.issue($0.push, apnsID: $0.apnsID, options, at: call), $0.ticket, error)
            }
            return []
        }
    }

    /// How often a push was written.
    package func attempts(of push: AcceptedPush) -> Int { outbox.room.progress(of: push.record).attempts }

    /// Cancels a push; its one outcome still arrives.
    package func cancel(_ push: AcceptedPush) { outbox.cancel(push.record) }

    private func offer(
        _ pushes: [BatchedPush], _ options: PushOptions, to holder: WaitingRoom.HolderID,
        _ refused: inout [SettledPush]
    ) -> [AcceptedPush] {
        let call = outbox.call(options)
        var accepted: [AcceptedPush] = []
        var offered: [OfferedPush] = []
        accepted.reserveCapacity(pushes.count)
        offered.reserveCapacity(pushes.count)
        for push in pushes {
            let record = outbox.issue(push.push, apnsID: push.apnsID, options, at: call)
            do throws(PushError) {
                try outbox.check(record, options)
                offered.append(OfferedPush(record: record, outcome: receiver(of: record, push.ticket)))
                accepted.append(AcceptedPush(ticket: push.ticket, record: record))
            } catch {
                refused.append(SettledPush(refused: record, push.ticket, error))
            }
        }
        // A batch does not wait for room: its caller gets what is refused.
        let whenFull = options.whenFull ?? outbox.config.limits.whenFull
        let refusals = outbox.offer(offered, whenFull == .wait ? .reject : whenFull, to: holder)
        guard !refusals.isEmpty else { return accepted }
        let gone = Set(refusals.map(\.push.record.id))
        accepted.removeAll { gone.contains($0.id) }
        for (push, error) in refusals {
            switch push.outcome {
            case .collector(_, let ticket): refused.append(SettledPush(refused: push.record, ticket, error))
            case .completion(let call): call(.failure(error.carrying(push.record.context)))
            case .task, .thread, .nobody, .moved: break
            }
        }
        return accepted
    }

    /// With a tracer, a span ends with each push.
    private func receiver(of record: PushRecord, _ ticket: Int) -> OutcomeReceiver {
        guard outbox.spans != nil else { return .collector(self, ticket: ticket) }
        let room = outbox.room
        // The record has the completion, so this is a cycle until the push ends.
        let pushed = Locked<PushRecord?>(record)
        let completion: @Sendable (OutcomeReceiver.Outcome) -> Void = { [self] result in
            // It is there: a completion is called once.
            guard let record = pushed.withLock({ $0.take() }) else { return }
            let attempts = room.progress(of: record).attempts
            whenEnded([SettledPush(record: record, ticket: ticket, outcome: result, attempts: attempts)])
        }
        return .completion(PushEntrance(outbox: outbox).traced(completion, of: record))
    }
}

extension PushBatches: OutcomeCollector {
    func collect(_ settled: [SettledPush]) { whenEnded(settled) }
}
