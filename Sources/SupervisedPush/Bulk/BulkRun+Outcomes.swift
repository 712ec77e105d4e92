import DequeModule
import ProcessRuntime
import PushLocking

/// The outcomes of its pushes, as they come from the connection.
extension BulkRun.State {
    /// What the bulk throws at its end, except for an outage or a refusal.
    var error: (any Error)? {
        switch ending {
        case .sourceFailed: sourceError
        case .targetEnded: targetError
        case .cancelled: CancellationError()
        case .sourceEnded, .outage, .refused, .stopped, nil: nil
        }
    }

    /// A refused push ends with the answer that it has.
    mutating func endRefused(_ ticket: Int) {
        guard let push = slots.remove(ticket), let refusal = push.refusal else { return }
        let result = Result<PushResponse, PushError>.success(refusal.response).carrying(push.record.context)
        outcomes.append(
            BulkResult(index: push.index, record: push.record, result: result, attempts: refusal.attempts))
    }

    /// A push ended. Returns the answer for the machine, which may only need to count it; nil if the push is gone.
    fileprivate mutating func end(
        _ settled: SettledPush, keepsTicket: Bool, withdrawn: (PushError) -> PushError, _ now: MonotonicInstant
    ) -> BulkMachine.Answer? {
        let (ticket, attempts) = (settled.ticket, Int(settled.attempts))
        if case .success(let response) = settled.outcome, !response.isAccepted,
            let subject = settled.record.refusal(in: response)
        {
            guard let refusal = slots.refuse(ticket, response, attempts: attempts, now) else { return nil }
            latestRefusal = response
            return .refused(ticket: ticket, subject, since: refusal.since, times: refusal.times)
        }
        guard let push = slots.remove(ticket, keepsTicket: keepsTicket) else { return nil }
        var result = settled.outcome
        var answer = BulkMachine.Answer.ended
        switch result {
        case .success(let response): answer = response.isAccepted ? .accepted : .rejected
        case .failure(let error):
            if let refusal = push.refusal, error.certainty != .unknown, error.certainty != .answered {
                // It was not sent again, so its answer is the last word.
                result = .success(refusal.response).carrying(settled.record.context)
            } else if machine.isWithdrawnByItself {
                result = .failure(withdrawn(error).carrying(settled.record.context))
            }
        }
        let ended = BulkResult(
            index: push.index, record: settled.record, result: result,
            attempts: attempts + (push.refusal?.attempts ?? 0), isFinal: !keepsTicket)
        if keepsTicket { late[ticket] = ended }
        outcomes.append(ended)
        return answer
    }
}

extension BulkRun: OutcomeCollector {
    func collect(_ settled: [SettledPush]) {
        let now = target.time.now
        handle { state in
            guard state.ending == nil else { return .settled(settled.count) }
            // As long as pushes are accepted, they are counted only.
            var tellsEach = state.machine.needsAnswers
            var answers: [BulkMachine.Answer] = []
            var count = 0
            let withdrawn: (PushError) -> PushError =
                switch state.machine.stopped {
                case .refused(let subject): { [maxOutage] in $0.withdrawn(refused: subject, for: maxOutage) }
                default: { [maxOutage] in $0.withdrawn(after: maxOutage) }
                }
            for push in settled {
                let keepsTicket = tellsLateEnds && !push.isFinal
                guard let answer = state.end(push, keepsTicket: keepsTicket, withdrawn: withdrawn, now) else {
                    continue
                }
                if !tellsEach, case .refused = answer {
                    tellsEach = true
                    answers = Array(repeating: .ended, count: count)
                }
                if tellsEach { answers.append(answer) }
                count += 1
            }
            return tellsEach ? .answers(answers) : .settled(count)
        }
    }

    func collect(late: [LatePush]) {
        guard tellsLateEnds else { return }
        let consumer = state.withLock { state -> CheckedContinuation<Void, Never>? in
            for push in late {
                guard var ended = state.late.removeValue(forKey: push.ticket) else { continue }
                state.slots.free(push.ticket)
                (ended.late, ended.isFinal) = (push.end, true)
                if state.ending != .cancelled { state.outcomes.append(ended) }
            }
            return state.outcomes.isEmpty ? nil : state.consumer.take()
        }
        consumer?.resume()
    }
}

extension Result where Success == PushResponse, Failure == PushError {
    /// The error of a push that was refused because its target has ended.
    var endsTarget: PushError? {
        guard case .failure(let error) = self, error.code == .closed || error.code == .noProcess else { return nil }
        return error
    }
}
