import ProcessRuntime

/// Effects of time: attempts that take too long, the ends of pauses and drains, deadlines, and the end of closing.
extension ConnectionMachine {
    mutating func tick() {
        if let attempt = dialed, attempt.deadline <= now { abandonDialing(attempt) }
        // Of all that is due at one instant, losses come first; the rest follows once they are handled.
        guard !loseSilentLinks() else { return }
        for link in draining where link.deadline <= now { endDraining(link.id) }
        if let pausedUntil, pausedUntil <= now { dial() }
        if let retryAt = replacement?.retryAt, retryAt <= now { dialReplacement() }
        while let slot = deadlines.popDue(now, in: table.entries) { timeOut(slot) }
        if let deadline = closingDeadline, deadline <= now { endClosing() }
        if let instant = awaitedReset, instant <= now { awaitedReset = nil }
    }

    private mutating func timeOut(_ slot: Int32) {
        guard let entry = table[slot] else { return }
        switch entry.state {
        case .inFlight:
            switch entry.withdrawal {
            case nil: withdraw(slot, because: .timedOut)
            // It is being withdrawn to be resent, but its time is over.
            case .drained, .stalled: table[slot]?.withdrawal = .timedOut
            case .timedOut, .cancelled, .closing: break
            }
        case .late: endLateWindow(slot, entry: entry)
        }
    }

    /// The window closed without an answer. The stream is reset; without budget for a reset, the window stays open.
    private mutating func endLateWindow(_ slot: Int32, entry: PushEntry) {
        if takeReset(entry.link) {
            endLate(slot, with: .noAnswer, resetting: true)
            linkMoved(entry.link)
        } else {
            let later = now.advanced(by: ResetBudget.interval)
            table[slot]?.limit = PushTimes.Limit(instant: later, kind: .timeout)
            deadlines.insert(slot, of: table.entries)
        }
    }

    // MARK: Closing

    mutating func close(_ deadline: MonotonicInstant) {
        closingDeadline = min(closingDeadline ?? deadline, deadline)
        if deadline <= now { endClosing() }
    }

    /// The closing deadline has passed: pushes in flight end by what the wire knows.
    private mutating func endClosing() {
        for slot in table.slots where table[slot]?.state == .inFlight && table[slot]?.withdrawal == nil {
            withdraw(slot, because: .closing)
        }
    }

    /// The credential is refused and the connection gives up: it ends once it has no more pushes.
    mutating func endIfRejectedForGood() {
        if credential.isRejectedForGood { endIfClosed() }
    }

    /// Ends the process once it is closing and every push has its outcome.
    mutating func endIfClosed() {
        guard closingDeadline != nil, inFlight == 0, !hasEnded else { return }
        while !table.late.isEmpty { endLate(table.late.first, with: .noAnswer, resetting: false) }
        for id in [current?.id, dialed?.id].compactMap(\.self) + draining.map(\.id) { actions.append(.closeLink(id)) }
        if let offer = replacement?.offer { decline(offer, end: .closed) }
        current = nil
        dialed = nil
        replacement = nil
        draining = []
        end()
        actions.append(.stop(credential.isRejectedForGood ? credential.refusal : nil))
    }

    // MARK: Failure of the process

    /// Takes all pushes out of a machine whose process failed: those that may be resent return to the room, the others
    /// get their outcome. Of the actions that were not performed yet and those that follow, only those about pushes
    /// still count.
    mutating func extractPushes(_ lost: [LostLink], _ now: MonotonicInstant, into actions: inout [ConnectionAction]) {
        act(now, into: &actions) { $0.extractPushes(lost) }
    }

    private mutating func extractPushes(_ lost: [LostLink]) {
        let cause = LinkFailure(.process, "The connection's process failed.")
        end()
        for link in lost { linkLost(link.id, cause: cause, streams: link.streams, lastSubmitted: link.lastSubmitted) }
        for slot in table.slots {
            guard let entry = table[slot], entry.state == .inFlight else { continue }
            finish(slot, with: .processFailed(entry.record.id, certainty: .unknown, streamID: entry.streamID))
        }
        while !table.late.isEmpty { endLate(table.late.first, with: .noAnswer, resetting: false) }
        actions.removeAll { !$0.isAboutPushes }
    }
}

extension ConnectionAction {
    fileprivate var isAboutPushes: Bool {
        switch self {
        case .finish, .giveBack, .noteAnswer, .post(.late): true
        default: false
        }
    }
}
