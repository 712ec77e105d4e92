import Dispatch
import Locking

/// Outcomes of pushes that no process holds, and pushes that nobody waits for.
extension ConnectionEntry {
    // MARK: The forms of push, at the call

    /// Takes a push in, or has another connection of the pool take it, or says why not.
    func offer(_ record: PushRecord, _ outcome: OutcomeSink, _ whenFull: WhenFull?) throws(PushError) {
        var (entry, record) = (self, record)
        while true {
            do { return try entry.takeIn(record, outcome, whenFull) } catch {
                // It was retired or ended since it was chosen. What is closed stays so: each is tried once at most.
                guard error.code == .closed, let other = pool?.openMember(otherThan: entry),
                    let copy = entry.intake.handOver(record, to: other)
                else { throw error }
                (entry, record) = (other, copy)
            }
        }
    }

    /// Takes a push in, or says why not, and answers those that went for it.
    private func takeIn(_ record: PushRecord, _ outcome: OutcomeSink, _ whenFull: WhenFull?) throws(PushError) {
        let admission: Intake.Admission
        do { admission = try intake.offer(record, outcome, whenFull ?? config.whenFull) } catch {
            if error.code == .overloaded { watch.overloaded() }
            throw error
        }
        if !admission.dropped.isEmpty {
            let load = intake.load
            answer(admission.dropped.map { PassedOnPush($0) }) { .dropped($0.record.id, load) }
        }
        if admission.isInGap { keepTime(of: record) }
    }

    func cancel(_ record: PushRecord) {
        switch intake.cancel(record) {
        case .isOnItsWay: break
        case .ended(let push): answer([push]) { .cancelled(PushEntry($0)) }
        case .moved(let successor): successor.entry.cancel(successor.record)
        }
    }

    /// The stream of the push's latest attempt, and how often it was written.
    func progress(of record: PushRecord) -> (streamID: PushStreamID?, attempts: Int) {
        let (streamID, attempts, successor) = intake.progress(of: record)
        guard let successor else { return (streamID, attempts) }
        return successor.entry.progress(of: successor.record)
    }

    /// Hands an error to the owner of each push, or the answer it has already.
    func answer(_ pushes: [PassedOnPush], _ error: (PassedOnPush) -> PushError) {
        var batch = OutcomeDelivery.Batch()
        var returned = HandBackBatch()
        for push in pushes {
            let error = error(push)
            // What was about to be retried has its last answer.
            let answered = push.record.answered.map { OutcomeSink.Outcome.success($0.response) }
            let outcome = (answered ?? .failure(error)).carrying(push.record.context)
            switch push.record.outcome {
            case .task(let handOver): handOver.resume(returning: outcome)
            case .thread(let caller): caller.resume(outcome)
            case .completion(let call): batch.add(call, outcome, push.record)
            case .collector(let collector, let ticket): batch.add(collector, ticket, outcome, push.record)
            case .nobody: break
            }
            if answered == nil { returned.add(push.record, error.certainty) }
            watch.ended(outcome)
        }
        if !batch.isEmpty { delivery.deliver(batch, intake) }
        handBack(returned)
    }

    // MARK: Hand-back

    /// Gives pushes back: to `close` while the connection closes, else to the owner's mailbox. What ends before the first
    /// process waits for it: the message names a process.
    func handBack(_ batch: HandBackBatch) {
        guard !batch.isEmpty else { return }
        let isKept = state.withLock { state in
            guard state.isClosing || state.hasEnded || state.latestPid == nil, !state.isOver else { return false }
            state.returned.append(batch)
            return true
        }
        if !isKept { giveToOwner(batch) }
    }

    /// Posts to the owner's mailbox; what nobody takes goes to the log, as a number.
    func giveToOwner(_ batch: HandBackBatch) {
        guard !batch.pushes.isEmpty else { return }
        // A pool's connection may end before its first process; the owner knows the pool's pid.
        let pid = latestPid ?? pool?.latestPid
        if let pid, hub.handBack(.handedBack(pid: pid, name: name, batch.handBack)) { return }
        watch.handBackLost(batch, pid)
    }

    /// Does with the connection what its owner policy says, once the owner's mailbox is closed or released.
    func followOwner() {
        guard let limit = config.ownerPolicy.limit else { return }
        hub.whenOwnerGoes { [weak self] in
            // Whoever closed or released the mailbox holds who knows what lock.
            guard let self else { return }
            delivery.timerQueue.async { self.close(by: self.time.now.advanced(by: limit)) }
        }
    }

    // MARK: While no process lives

    /// Ends the pushes whose time is over, as long as no process does it.
    func keepTime() {
        let now = time.now
        let (expired, next) = intake.takeExpired(now)
        answer(expired) { .timedOutWaiting(PushEntry($0)) }
        // One look for those of the same moment: a look at each alone would cost a queue's length each.
        if let next { armGapTimer(max(next, now.advanced(by: .milliseconds(10)))) }
    }

    private func keepTime(of record: PushRecord) {
        let instant = record.times.whileWaiting.instant
        if instant != PushTimes.never { armGapTimer(instant) }
    }

    private func armGapTimer(_ instant: MonotonicInstant) {
        state.withLock { state in
            guard state.process == nil, !state.hasEnded else { return }
            if let armed = state.gapArmedFor, armed <= instant, armed > time.now { return }
            let timer = state.gapTimer ?? time.makeTimer(on: delivery.timerQueue) { [weak self] in self?.keepTime() }
            state.gapTimer = timer
            state.gapArmedFor = instant
            timer.arm(at: instant)
        }
    }
}
