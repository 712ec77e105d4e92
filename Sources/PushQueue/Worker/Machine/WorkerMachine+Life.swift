import ProcessRuntime

/// The worker's own life, and those of others.
extension WorkerMachine {
    /// A worker whose heartbeats are not acknowledged writes nothing any more: others may take over what it has.
    mutating func checkLease() {
        guard let leaseEnd, leaseEnd <= now else { return }
        self.leaseEnd = nil
        needsRecovery = true
        out.append(.tell(.leaseLost))
        if flying > 0 { out.append(.withdraw(nil)) }
        giveBackAll()
        for key in Array(entries.keys) {
            guard let place = entries.index(forKey: key), entries.values[place].flying > 0 else { continue }
            if entries.values[place].owner != .another { entries.values[place].owner = .unsure(isAsked: false) }
        }
    }

    /// When the next heartbeat is due; nil while one is under way, or the worker leaves.
    var dueBeat: MonotonicInstant? { beatSent == nil && call != .leave ? nextBeat : nil }

    mutating func beat() {
        beatSent = now
        out.append(.beat)
    }

    mutating func beatFailed() {
        beatSent = nil
        // The connection may be another one now: what its predecessor's last reply told is not known.
        needsRecovery = true
        nextBeat = now.advanced(by: .milliseconds(500))
    }

    mutating func beaten(_ counters: [WorkerID: UInt64]) {
        guard let sent = beatSent else { return }
        beatSent = nil
        nextBeat = max(now, sent.advanced(by: Times.beat))
        let end = sent.advanced(by: Times.lease)
        leaseEnd = end > now ? end : nil
        // While this worker heard nothing, the others may have been unable to raise their counters.
        if let lastBeat, lastBeat.duration(to: sent) > Times.gap { others = [:] }
        lastBeat = sent
        others = others.filter { counters[$0.key] != nil }
        for (id, counter) in counters where id != worker && others[id]?.counter != counter {
            others[id] = Other(counter: counter, since: now)
        }
        dead = others.filter { $0.value.since.advanced(by: WorkerStanding.death) <= sent }.map(\.key)
            .sorted { $0.description < $1.description }
    }

    /// The dead worker has nothing any more, or it lives.
    mutating func forget(_ worker: WorkerID) {
        dead.removeAll { $0 == worker }
        others[worker] = nil
    }

    // MARK: Stopping

    mutating func stop(within time: Duration) {
        let instant = now.advanced(by: max(.zero, time))
        stopAt = min(stopAt ?? instant, instant)
        giveBackAll()
    }

    mutating func checkStop() {
        guard let stopAt else { return }
        guard isOpen else { return finish() }
        // Without a link, nothing is written in that time either.
        if !isWithdrawn, stopAt <= now || room == 0 {
            isWithdrawn = true
            if flying > 0 { out.append(.withdraw(nil)) }
        }
        if stopAt.advanced(by: Times.grace) <= now { finish() }
    }

    mutating func finish() {
        isFinished = true
        out.append(.finished)
    }
}
