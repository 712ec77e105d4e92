/// What time brings: attempts that take too long, pauses and drains that end, deadlines, and the end of closing.
extension ConnectionMachine {
    mutating func tick(_ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        if let link = dialed, link.deadline <= now { giveUpDialing(link, now, &actions) }
        // Of what is due at one instant, losses come first: the rest follows at once, when they are settled.
        guard !loseSilentLinks(now, &actions) else { return }
        for link in draining where link.deadline <= now { endDraining(link.id, &actions) }
        if case .down(let until) = phase, until <= now { dial(now, &actions) }
        if let retryAt = replacement?.retryAt, retryAt <= now { dialReplacement(now, &actions) }
        while let slot = deadlines.popDue(now, in: table) { timeOut(slot, now, &actions) }
        if let deadline = closingDeadline, deadline <= now { endClosing(&actions) }
        admit(now, &actions)
    }

    private mutating func timeOut(
        _ slot: Int32, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]
    ) {
        guard let entry = table[slot] else { return }
        switch entry.state {
        case .waiting: timeOutWaiting(slot, &actions)
        case .deferred(let deferral): deferralEnded(slot, deferral, now, &actions)
        case .inFlight:
            switch entry.withdrawal {
            case nil: withdraw(slot, .timedOut, &actions)
            // It is being withdrawn to go again, but its time is over.
            case .drained, .stalled: table[slot]?.withdrawal = .timedOut
            case .timedOut, .cancelled, .closing: break
            }
        case .late: endLateWindow(slot, entry, now, &actions)
        }
    }

    mutating func timeOutWaiting(_ slot: Int32, _ actions: inout [ConnectionAction]) {
        takeOut(slot)
        guard let entry = table[slot] else { return }
        finish(slot, .failure(.timedOutWaiting(entry)), &actions)
    }

    /// The window closed without an answer. The stream is reset; without budget for a reset, the window stays open.
    private mutating func endLateWindow(
        _ slot: Int32, _ entry: PushEntry, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]
    ) {
        if takeReset(entry.link, now) {
            endLate(slot, .noAnswer, resetting: true, &actions)
            linkMoved(entry.link, now, &actions)
        } else {
            let later = now.advanced(by: ResetBudget.interval)
            table[slot]?.limit = PushTimes.Limit(instant: later, kind: .timeout)
            deadlines.insert(slot, of: table)
        }
    }

    // MARK: Closing

    mutating func close(_ deadline: MonotonicInstant, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        closingDeadline = min(closingDeadline ?? deadline, deadline)
        if deadline <= now { endClosing(&actions) }
    }

    /// The closing deadline passed: what waits is not sent, what is in flight is settled by what the wire knows.
    private mutating func endClosing(_ actions: inout [ConnectionAction]) {
        for slot in unwritten() {
            guard let entry = table[slot] else { continue }
            takeOut(slot)
            finish(slot, .failure(.closedWhileWaiting(entry)), &actions)
        }
        for slot in table.slots where table[slot]?.state == .inFlight && table[slot]?.withdrawal == nil {
            withdraw(slot, .closing, &actions)
        }
    }

    /// The pushes that wait, for a stream or for something else, in call order.
    func unwritten() -> [Int32] {
        var slots: [Int32] = []
        slots.reserveCapacity(waitingCount)
        var slot = table.waiting.first
        while slot >= 0 {
            slots.append(slot)
            slot = table.next(after: slot)
        }
        guard deferredCount > 0 else { return slots }
        slots += table.slots.filter { if case .deferred = table[$0]?.state { true } else { false } }
        let numbers = slots.map { (slot: $0, number: table[$0]?.record.id.number ?? 0) }
        return numbers.sorted { $0.number < $1.number }.map(\.slot)
    }

    /// Ends the process once it is closing and every push has its outcome.
    mutating func endIfClosed(_ actions: inout [ConnectionAction]) {
        guard closingDeadline != nil, waitingCount == 0, inFlight == 0, phase != .ended else { return }
        while !table.late.isEmpty { endLate(table.late.first, .noAnswer, resetting: false, &actions) }
        for link in [current, dialed].compactMap(\.self) + draining { actions.append(.closeLink(link.id)) }
        if let offer = replacement?.offer { decline(offer, .closed, &actions) }
        current = nil
        dialed = nil
        replacement = nil
        draining = []
        end(&actions)
    }

    // MARK: Passing on

    /// Takes out what waits for a stream, for other connections to go on with, in call order. What stands in the line of its
    /// device stays, and so does the push that tries a refused credential.
    mutating func yieldWaiting() -> [PassedOnPush] {
        var yielded: [PassedOnPush] = []
        var slot = table.waiting.first
        while slot >= 0 {
            let next = table.next(after: slot)
            if let entry = table[slot], !entry.hasTurn, credential.probe != slot {
                takeOut(slot)
                yielded.append(PassedOnPush(entry))
                table.remove(slot)
            }
            slot = next
        }
        return yielded
    }

    // MARK: Failure of the process

    /// Takes everything out of a machine whose process failed: what may pass on to a successor, in call order. The rest
    /// gets its outcome through `actions`.
    mutating func surrender(
        _ lost: [LostLink], _ now: MonotonicInstant, _ actions: inout [ConnectionAction]
    ) -> [PassedOnPush] {
        let cause = LinkFailure(.process, "The connection's process failed.")
        // From here on no push becomes a stream, whatever room or turn the loss of a link brings.
        phase = .ended
        for link in lost { linkLost(link.id, cause, link.streams, link.lastSubmitted, now, &actions) }
        for slot in table.slots {
            guard let entry = table[slot], entry.state == .inFlight else { continue }
            finish(slot, .failure(.processFailed(entry.record.id, .unknown, entry.streamID)), &actions)
        }
        var passedOn: [PassedOnPush] = []
        for slot in unwritten() {
            takeOut(slot)
            guard let entry = table[slot] else { continue }
            passedOn.append(PassedOnPush(entry))
            table.remove(slot)
        }
        while !table.late.isEmpty { endLate(table.late.first, .noAnswer, resetting: false, &actions) }
        phase = .ended
        return passedOn
    }
}
