import ProcessRuntime

/// Pushes: what is offered for sending, and when.
extension WorkerMachine {
    /// Offers what is ready for sending, as far as there is room.
    mutating func push() {
        guard let leaseEnd, !isStopping, room > 0, holdUntil == nil, !readyKeys.isEmpty else { return }
        let keys = readyKeys
        readyKeys = []
        for (place, key) in keys.enumerated() {
            guard flying < room else {
                readyKeys += keys[place...]
                return
            }
            guard let entry = entries[key], entry.goesOn, !entry.mustAsk, !entry.ready.isEmpty else { continue }
            if let suspect, suspect != key || flying > entry.flying {
                readyKeys.append(key)
            } else if let deadline = entry.deadline, deadline <= now {
                expire(key, entry)
            } else {
                push(key, entry, by: min(leaseEnd, entry.deadline ?? leaseEnd))
            }
        }
    }

    private mutating func push(_ key: Key, _ entry: WorkerEntry, by end: MonotonicInstant) {
        let tokens = Array(entry.ready.prefix(WorkerEntry.slice))
        entries[key]?.ready.removeFirst(tokens.count)
        entries[key]?.flying += tokens.count
        flying += tokens.count
        out.append(.push(key, tokens, by: end))
        if entry.ready.count > tokens.count {
            readyKeys.append(key)
        } else if entry.offered < entry.count {
            offerKeys.append(key)
        }
    }

    /// It is too late for what is not in flight.
    private mutating func expire(_ key: Key, _ entry: WorkerEntry) {
        // What is in flight ends at the same time; its last token calls for this again.
        guard entry.flying == 0 else { return readyKeys.append(key) }
        entries[key]?.endAll(.tooLate)
        openTokens -= entry.openCount
        soil(key)
    }
}
