import ProcessRuntime
import SupervisedPush

/// Pushes: what is offered for sending, and when.
extension WorkerMachine {
    /// Offers what is ready for sending, as far as there is room.
    mutating func push() {
        guard let leaseEnd, !isStopping, !steering.isPaused, room > 0, holdUntil == nil, !readyKeys.isEmpty else {
            return
        }
        guard !pause.stands || pause.mayProbe(now) else { return }
        let keys = readyKeys
        readyKeys = []
        for (index, key) in keys.enumerated() {
            guard flying < room, !pause.isProbing else {
                readyKeys += keys[index...]
                return
            }
            guard let place = entries.index(forKey: key), entries.values[place].canBePushed else { continue }
            let deadline = entries.values[place].deadline
            if let suspect, suspect != key || flying > entries.values[place].flying {
                readyKeys.append(key)
            } else if let deadline, deadline <= now {
                expire(key, at: place)
            } else {
                push(key, at: place, by: min(leaseEnd, deadline ?? leaseEnd))
            }
        }
    }

    private mutating func push(_ key: Key, at place: Int, by end: MonotonicInstant) {
        // In a pause, one push finds out whether APNs still refuses.
        let tokens = entries.values[place].takeSlice(pause.stands ? 1 : WorkerEntry.slice)
        if pause.stands { pause.beginProbe() }
        flying += tokens.count
        out.append(.push(key, tokens, by: end))
        if !entries.values[place].ready.isEmpty {
            readyKeys.append(key)
        } else if entries.values[place].offered < entries.values[place].count {
            offerKeys.append(key)
        }
    }

    /// Pushes ended: notes what that says about the sender and the service.
    mutating func hear(_ list: [Ended]) {
        let isAlone = flying <= list.count && list.allSatisfy(\.isRefused)
        for ended in list {
            switch ended.evidence {
            case .nothing: break
            case .accepted, .rejected:
                if pause.isHealthy { continue }
                let stood = pause.stands
                if ended.evidence == .accepted { pause.accepted() } else { pause.rejected() }
                if stood, !pause.stands { out.append(.tell(.resumed)) }
            case .refused(let subject):
                guard let probe = pause.refused(subject, isAlone: isAlone, now) else { continue }
                out.append(.tell(.paused(subject, nextProbe: probe)))
            }
        }
    }

    /// It is too late for what is not in flight.
    private mutating func expire(_ key: Key, at place: Int) {
        // What is in flight ends at the same time; its last token calls for this again.
        guard entries.values[place].flying == 0 else { return readyKeys.append(key) }
        openTokens -= entries.values[place].openCount
        entries.values[place].endAll(.tooLate)
        soil(key)
    }
}
