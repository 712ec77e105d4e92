/// Room for a push by dropping the oldest one that waits.
///
/// It is decided here, at the call, that the push comes in and that an older one goes; which one that is, the process knows:
/// it holds the older ones. So the push is let in at once, what is due is noted, and the process drops it at its next look
/// – less, if room came about by itself meanwhile. While no process lives, or it is a queue's worth behind, the oldest of
/// those that wait here goes at once; if the process has just taken them all, it drops one more.
extension Intake.State {
    mutating func replaceOldest(with record: PushRecord, _ dropped: inout [PushRecord]) -> Bool {
        guard undelivered < bounds.maxWaiting, undeliveredBytes + record.size <= bounds.maxWaitingBytes else {
            return false
        }
        let processHolds = process != nil && waiting > 0
        // What it has just taken is older than what comes in now, and goes before that: so all it holds has to be due.
        let held = waiting - (inbox.count + passedOn.count - droppedHere)
        let allIsDue = due.count >= max(bounds.maxWaiting, held)
        let processIsBehind = allIsDue || due.bytes > bounds.maxWaitingBytes
        let goesHere = (!processHolds || processIsBehind) && dropHere(for: record.size, &dropped)
        guard goesHere || processHolds else { return false }
        overdraw(record.size)
        if !goesHere {
            due.count += 1
            due.bytes += record.size
        }
        count(record)
        return true
    }

    /// What is too much at the process's look, no more than was let in for it, and no more than the process holds: what is
    /// due beyond that is in the inbox, and stays due for the next look.
    mutating func takeExcess(held: Int) -> Intake.Excess {
        let count = min(queued - bounds.maxWaiting, due.count)
        let bytes = max(min(bytes - bounds.maxWaitingBytes, due.bytes), min(overdrawn, due.bytes))
        let granted = min(count, held)
        let isAll = inbox.isEmpty && passedOn.isEmpty
        due = isAll ? Intake.Excess() : Intake.Excess(count: max(0, count - granted), bytes: bytes > 0 ? due.bytes : 0)
        return Intake.Excess(count: granted, bytes: bytes)
    }

    private mutating func overdraw(_ size: Int) {
        let missing = bytes + size - allowance
        guard missing > 0 else { return }
        let granted = budget.reserve(missing)
        if granted == 0 {
            budget.overdraw(missing)
            overdrawn += missing
        }
        allowance += max(granted, missing)
    }

    /// Drops the oldest ones here: one for the place, and more if that is not enough for the bytes.
    private mutating func dropHere(for size: Int, _ dropped: inout [PushRecord]) -> Bool {
        var bytesToGo = size
        while bytesToGo > 0 || dropped.isEmpty, let oldest = nextDroppable() {
            waiting -= 1
            waitingBytes -= oldest.size
            oldest.admission = .dropped
            droppedHere += 1
            bytesToGo -= oldest.size
            dropped.append(oldest)
            willAnswer(oldest)
            if fits(size), bytes + size <= allowance { break }
        }
        if droppedHere > 1_024, droppedHere > (inbox.count + passedOn.count) / 2 { forgetDropped() }
        return !dropped.isEmpty
    }

    private mutating func nextDroppable() -> PushRecord? {
        while passedOnCursor < passedOn.count {
            defer { passedOnCursor += 1 }
            let record = passedOn[passedOnCursor].record
            if record.admission == .admitted, !record.wasParked { return record }
        }
        while inboxCursor < inbox.count {
            defer { inboxCursor += 1 }
            let record = inbox[inboxCursor]
            if record.admission == .admitted, !record.wasParked { return record }
        }
        return nil
    }

    /// Takes those that went out of the lists.
    mutating func forgetDropped() {
        if droppedHere > 0 {
            inbox.removeAll { $0.admission == .dropped }
            passedOn.removeAll { $0.record.admission == .dropped }
        }
        droppedHere = 0
        inboxCursor = 0
        passedOnCursor = 0
    }
}
