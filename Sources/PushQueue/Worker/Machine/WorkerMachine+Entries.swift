import FoundationEssentials
import ProcessRuntime

/// Entries: how they come, how their tokens end, and how they go.
extension WorkerMachine {
    // MARK: Coming

    /// - Parameter reclaimed: Whether they come from a worker that died.
    mutating func adopt(_ list: [Facts], reclaimed: Bool) {
        for facts in list {
            if entries.index(forKey: facts.key) == nil {
                add(facts, reclaimed: reclaimed)
            } else {
                comeBack(facts, reclaimed: reclaimed)
            }
        }
        if isStopping || !isLeased || room == 0 || steering.isPaused { return giveBackAll() }
        // A worker that dies with the suspect must not bring doubt on others.
        if let suspect { for key in sortedKeys where key != suspect { giveBack(key) } }
    }

    private mutating func add(_ facts: Facts, reclaimed: Bool) {
        var entry = WorkerEntry(facts, reclaimed: reclaimed)
        doubtsSeen += entry.doubtful.count
        if facts.id == nil {
            entry.leaving = .decided(.unreadable)
        } else if facts.hold == .cancelled {
            entry.cancel()
        } else if entry.isDead {
            entry.endAll(.deadLetter)
            entry.leaving = .decided(.dead)
        } else if entry.neverRepeats {
            entry.endDoubtful()
        }
        openTokens += entry.openCount
        pay(entry.ready.count)
        entries[facts.key] = entry
        goOn(facts.key)
        // Of those that a lost reply told of, a campaign may have been paused meanwhile.
        if facts.hold == .paused { giveBack(facts.key) }
    }

    /// An entry that the worker still knows is the worker's again: an answer to one of its pushes is still awaited.
    private mutating func comeBack(_ facts: Facts, reclaimed: Bool) {
        guard let place = entries.index(forKey: facts.key) else { return }
        openTokens -= entries.values[place].openCount
        if let hold = facts.hold { entries.values[place].hold = hold }
        let more = entries.values[place].comeBack(facts, reclaimed: reclaimed)
        openTokens += entries.values[place].openCount
        doubtsSeen += more.doubtful
        pay(more.ready)
        goOn(facts.key)
        resolve(facts.key)
    }

    /// An entry that came is pushed, or settled.
    private mutating func goOn(_ key: Key) {
        guard let place = entries.index(forKey: key) else { return }
        let isOver = entries.values[place].openCount == 0 || entries.values[place].isDecided
        if isOver || !entries.values[place].rows.isEmpty { soil(key) }
        guard !isOver else { return }
        if entries.values[place].doubts == 2, suspect == nil { suspect = key }
        if entries.values[place].ready.isEmpty || entries.values[place].owner == .unconfirmed {
            offerKeys.append(key)
        } else {
            readyKeys.append(key)
        }
    }

    mutating func tookOver(_ list: [Facts], from dead: WorkerID) {
        // The dead worker has nothing any more, or it lives.
        guard !list.isEmpty else { return forget(dead) }
        let doubtsBefore = doubtsSeen
        takenOver += list.count
        adopt(list, reclaimed: true)
        let news = News.tookOver(from: dead, entries: list.count, tokensInDoubt: doubtsSeen - doubtsBefore)
        out.append(.tell(news))
    }

    private var sortedKeys: [Key] { entries.keys.sorted { $0.description < $1.description } }

    /// What the worker has by its own knowledge. The others that it knows may have gone to another worker and come back,
    /// which a lost reply may have told.
    mutating func askForOthers() -> Set<Key> {
        var known: Set<Key> = []
        for key in Array(entries.keys) {
            guard let place = entries.index(forKey: key) else { continue }
            switch entries.values[place].owner {
            case .mine, .unconfirmed: known.insert(key)
            case .unsure: entries.values[place].owner = .unsure(isAsked: true)
            case .another: break
            }
        }
        return known
    }

    /// The worker has these entries in addition to those that it is sure of.
    mutating func recovered(_ list: [Facts]) {
        let found = Set(list.map(\.key))
        needsRecovery = false
        var lost = 0
        for key in sortedKeys {
            guard let place = entries.index(forKey: key), case .unsure(let isAsked) = entries.values[place].owner else {
                continue
            }
            guard isAsked else {
                // The worker has lost its lease since it asked.
                needsRecovery = true
                continue
            }
            guard !found.contains(key) else { continue }
            lost += 1
            lose(key)
        }
        if lost > 0 { out.append(.tell(.lostEntries(lost))) }
        adopt(list, reclaimed: false)
    }

    /// Another worker has the entry.
    mutating func lose(_ key: Key) {
        guard let entry = entries[key] else { return }
        entries[key]?.owner = .another
        if entry.flying > 0 { out.append(.withdraw(key)) }
        resolve(key)
    }

    // MARK: Ending

    /// Pushes ended.
    mutating func end(_ list: [Ended]) {
        var first = 0
        while first < list.count {
            // Tokens of one entry mostly come together.
            let key = list[first].key
            let last = list[first...].firstIndex { $0.key != key } ?? list.count
            end(key, list[first..<last])
            first = last
        }
    }

    private mutating func end(_ key: Key, _ list: ArraySlice<Ended>) {
        // In place: a copy of the entry would be a copy of its rows, for each token.
        guard let place = entries.index(forKey: key) else { return }
        let mayRetry = entries.values[place].retries < Self.mostRetries
        let count = entries.values[place].end(list, mayRetry: mayRetry)
        flying -= count.told + count.later + count.unsent + count.failed + count.dropped
        openTokens -= count.told + count.failed + count.dropped
        waitingRows += count.told + count.failed
        postponed += count.later
        // They were attempted, and are attempted again.
        pay(count.refused)
        if count.told + count.failed + count.dropped > 0 { soil(key) }
        if count.told + count.later > 0 { holds = 0 }
        if count.unsent > 0, entries.values[place].goesOn {
            // Without a link, another worker may do better.
            if room == 0 { entries.values[place].leaving = .givingBack }
            hold()
            readyKeys.append(key)
        }
        if entries.values[place].flying == 0 { resolve(key) }
    }

    /// Offers nothing for a while: 100 ms, and up to 5 s if pushes come back again and again.
    private mutating func hold() {
        guard holdUntil == nil else { return }
        holdUntil = now.advanced(by: min(Times.hold * (1 << min(holds, 6)), Times.longestPause))
        holds += 1
    }

    // MARK: Going

    /// The links now take this number of pushes. Without a link, another worker may do better.
    mutating func offerRoom(_ count: Int) {
        let hadLink = room > 0
        room = count
        if room == 0, hadLink { giveBackAll() }
    }

    mutating func giveBackAll() { for key in sortedKeys { giveBack(key) } }

    mutating func giveBack(_ key: Key) {
        guard let entry = entries[key], entry.goesOn else { return }
        entries[key]?.leaving = .givingBack
        resolve(key)
    }

    /// Decides what becomes of an entry of which nothing is in flight.
    mutating func resolve(_ key: Key) {
        guard let place = entries.index(forKey: key), entries.values[place].isUndecided else { return }
        // Most entries are over here. A copy is a copy of all lists of the entry.
        guard entries.values[place].owner == .another || entries.values[place].openCount > 0 else { return }
        let entry = entries.values[place]
        if entry.owner == .another {
            if entry.isSettled { forget(key) }
            return
        }
        if entry.hold == .cancelled, entry.isOwned { return cancel(key, at: place) }
        if entry.isDead { return die(key, at: place) }
        let givesBack = entry.leaving == .givingBack
        if givesBack, entry.hold != .cancelled, !entry.isTouched, entry.isSettled { return giveUp(key) }
        guard entry.isOwned else { return }
        if let date = entry.laterAt, entry.doubtful.isEmpty, entry.ready.isEmpty || givesBack {
            return again(key, date, retries: entry.retries + 1)
        }
        guard givesBack else { return }
        if entry.doubtful.isEmpty {
            // The store knows that time as passed: it is the next worker's.
            again(key, Date(timeIntervalSince1970: 0), retries: entry.retries)
        } else if isStopping || entry.hold != nil {
            // A release keeps its doubts as they are. First the store gets its rows, which calls for this again.
            if entry.isSettled { giveUp(key) }
        } else {
            // It cannot be given back without a new doubt. It goes on once the store says that it is still ours.
            entries.values[place].leaving = .staying
            entries.values[place].owner = .unconfirmed
            offerKeys.append(key)
        }
    }

    private mutating func giveUp(_ key: Key) {
        entries[key]?.leaving = .releasing
        releaseKeys.append(key)
    }

    private mutating func die(_ key: Key, at place: Int) {
        openTokens -= entries.values[place].openCount
        entries.values[place].endAll(.deadLetter)
        entries.values[place].leaving = .decided(.dead)
        soil(key)
    }

    private mutating func cancel(_ key: Key, at place: Int) {
        openTokens -= entries.values[place].doubtful.count
        entries.values[place].cancel()
        soil(key)
    }

    private mutating func again(_ key: Key, _ date: Date, retries: Int) {
        entries[key]?.leaving = .decided(.again(date, retries: retries))
        soil(key)
    }

    /// The entry is over for this worker.
    mutating func forget(_ key: Key) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        openTokens -= entry.openCount
        if suspect == key { suspect = nil }
        out.append(.forget(key))
    }
}
