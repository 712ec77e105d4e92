import FoundationEssentials
import ProcessRuntime
import SupervisedPush

/// The calls to the store: which is next, and what its answer changes.
extension WorkerMachine {
    // MARK: The next call

    mutating func nextCall() {
        lapsePermits()
        if let retryAt {
            guard retryAt <= now else { return }
            self.retryAt = nil
        }
        if settle() || release() { return }
        // Also before it leaves: it would forget entries that a lost reply assigned to it.
        if isLeased, !settleFails, needsRecovery || (!isStopping && recoverAt.map({ $0 <= now }) ?? false) {
            return begin(.recover, .recover(besides: askForOthers()))
        }
        if isStopping {
            if !needsRecovery { leaveIfEmpty() }
            return
        }
        guard isLeased, !settleFails, !steering.isPaused else { return }
        if offer() { return }
        take()
    }

    mutating func begin(_ call: Call, _ action: Action) {
        self.call = call
        out.append(action)
    }

    private mutating func release() -> Bool {
        guard !releaseKeys.isEmpty else { return false }
        begin(.release(releaseKeys), .release(releaseKeys))
        return true
    }

    private mutating func leaveIfEmpty() {
        // A heartbeat that comes after it would make the worker known again.
        guard entries.isEmpty, beatSent == nil else { return }
        begin(.leave, .leave)
    }

    /// Tells the store of slices that are about to be offered.
    private mutating func offer() -> Bool {
        guard room > 0, holdUntil == nil, !offerKeys.isEmpty else { return false }
        var ends: [Key: Int] = [:]
        var kept: [Key] = []
        var sum = flying
        var (cost, isRefused) = (0, false)
        for key in offerKeys {
            guard let entry = entries[key], let end = entry.wantedOffer else { continue }
            guard suspect ?? key == key, sum < room, asksOneByOne == 0 || ends.isEmpty else {
                kept.append(key)
                continue
            }
            let more = entry.cost(ofOffer: end)
            guard more == 0 || isPermitted(after: cost) else {
                isRefused = true
                kept.append(key)
                continue
            }
            cost += more
            ends[key] = end
            if end > entry.offered { entries[key]?.isTouched = true }
            sum += max(1, end - entry.offered)
        }
        offerKeys = kept
        if ends.isEmpty { return isRefused && askForPermits(min(room - flying, WorkerEntry.slice * kept.count)) }
        begin(.offer(ends), .offer(ends))
        return true
    }

    /// Takes over what dead workers had, or takes from the queue, or waits until there is something.
    private mutating func take() {
        // In a pause, a probe is taken only if the worker has none.
        if pause.stands, !pause.mayProbe(now) || !entries.isEmpty { return }
        let free = pause.stands ? min(1, room - openTokens) : room - openTokens
        // Not for the last few: each call costs the same.
        let least = pause.stands ? 1 : max(1, min(WorkerEntry.slice, room / 4))
        guard free >= least, suspect == nil, holdUntil == nil else { return }
        let other = dead.first.flatMap { id in others[id].map { (id, $0.counter) } }
        guard other != nil || !foundNothing else { return wait() }
        guard isPermitted(after: 0) else {
            // Where nothing was found, a permit for more would be lost, and other workers could not use it.
            _ = askForPermits(isIdle ? 1 : free)
            return
        }
        let tokens = rate == nil ? free : min(free, permits)
        guard let (first, counter) = other else { return begin(.take, .take(tokens: tokens)) }
        begin(.reclaim(first), .reclaim(from: first, at: counter, limit: max(1, tokens / WorkerEntry.slice)))
    }

    private mutating func wait() {
        guard !isWaiting else { return }
        isWaiting = true
        out.append(.wait(upTo: Times.wait))
    }

    // MARK: Answers

    mutating func answered(_ event: Event) {
        guard let call else { return }
        (self.call, failures) = (nil, 0)
        switch (event, call) {
        case (.took(let list), .take):
            (foundNothing, isIdle) = (list.isEmpty, list.isEmpty)
            adopt(list, reclaimed: false)
        case (.permitted(let permit), .permit): permitted(permit)
        case (.recovered(let list), .recover):
            recoverAt = now.advanced(by: Times.recovery)
            recovered(list)
        case (.reclaimed(let list), .reclaim(let dead)):
            tookOver(list, from: dead)
        case (.offered, .offer(let ends)): offered(ends)
        case (.settled, .settle(let keys)): settled(keys)
        case (.released, .release(let keys)):
            releaseKeys.removeFirst(keys.count)
            // What was given back can be taken again.
            foundNothing = false
            for key in keys { forget(key) }
        case (.left, .leave): finish()
        default: break
        }
    }

    mutating func failed(_ code: QueueError.Code) {
        guard let call else { return }
        self.call = nil
        switch call {
        case .offer(let ends):
            offerKeys = ends.keys.sorted { $0.description < $1.description } + offerKeys
            if code == .fenced {
                if ends.count > 1 { asksOneByOne = ends.count } else { fenced(ends) }
                return
            }
        case .settle(let keys):
            settleFails = true
            unsettled(keys)
        case .take, .recover, .reclaim: needsRecovery = true
        case .permit, .release, .leave: break
        }
        pauseCalls()
    }

    /// No call is made for a while: 100 ms after the first failure, 5 s after many.
    mutating func pauseCalls() {
        failures += 1
        let doubled = Times.firstPause * (1 << min(failures - 1, 6))
        retryAt = now.advanced(by: min(doubled, Times.longestPause))
    }

    private mutating func offered(_ ends: [Key: Int]) {
        if asksOneByOne > 0 { asksOneByOne -= 1 }
        for (key, end) in ends.sorted(by: { $0.key.description < $1.key.description }) {
            if let place = entries.index(forKey: key) {
                pay(entries.values[place].cost(ofOffer: end))
                entries.values[place].didOffer(end)
            }
            readyKeys.append(key)
        }
    }

    /// Another worker has the entry.
    private mutating func fenced(_ ends: [Key: Int]) {
        if asksOneByOne > 0 { asksOneByOne -= 1 }
        for key in ends.keys {
            offerKeys.removeAll { $0 == key }
            guard entries[key] != nil else { continue }
            out.append(.tell(.lostEntries(1)))
            lose(key)
        }
    }
}
