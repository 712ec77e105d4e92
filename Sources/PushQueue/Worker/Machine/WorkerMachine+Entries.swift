import Foundation
import ProcessRuntime

/// Entries: how they come, how their tokens end, and how they go.
extension WorkerMachine {
    // MARK: Coming

    /// - Parameter reclaimed: Whether they come from a worker that died.
    mutating func adopt(_ list: [Facts], reclaimed: Bool) {
        for facts in list where entries.index(forKey: facts.key) == nil {
            var entry = WorkerEntry(facts, reclaimed: reclaimed)
            doubtsSeen += entry.doubtful.count
            if facts.id == nil {
                entry.fate = .unreadable
            } else if facts.doubts >= 3 {
                entry.endAll(.deadLetter)
                entry.fate = .dead
            } else if entry.once {
                entry.endDoubtful()
            }
            openTokens += entry.openCount
            pay(entry.ready.count)
            let isOver = entry.openCount == 0
            entries[facts.key] = entry
            if isOver || !entry.rows.isEmpty { soil(facts.key) }
            guard !isOver else { continue }
            if facts.doubts == 2, suspect == nil { suspect = facts.key }
            if entry.ready.isEmpty { offerKeys.append(facts.key) } else { readyKeys.append(facts.key) }
        }
        if isStopping || !isLeased || room == 0 { return giveBackAll() }
        // A worker that dies with the suspect must not bring doubt on others.
        if let suspect { for key in sortedKeys where key != suspect { giveBack(key) } }
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
        flying -= count.told + count.later + count.unsent + count.failed
        openTokens -= count.told + count.failed
        waitingRows += count.told + count.failed
        putOff += count.later
        // They were attempted, and are attempted again.
        pay(count.refused)
        if count.told + count.failed > 0 { soil(key) }
        if count.told + count.later > 0 { holds = 0 }
        if count.unsent > 0, entries.values[place].goesOn {
            // Without a link, another worker may do better.
            if room == 0 { entries.values[place].givesBack = true }
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

    private mutating func giveBack(_ key: Key) {
        guard let entry = entries[key], entry.goesOn else { return }
        entries[key]?.givesBack = true
        resolve(key)
    }

    /// Decides what becomes of an entry of which nothing is in flight.
    mutating func resolve(_ key: Key) {
        guard let place = entries.index(forKey: key), entries.values[place].isUndecided else { return }
        let entry = entries.values[place]
        if entry.isForeign {
            if entry.rows.isEmpty, entry.settling == nil { forget(key) }
            return
        }
        guard entry.openCount > 0 else { return }
        if let date = entry.laterAt, entry.doubtful.isEmpty, entry.ready.isEmpty || entry.givesBack {
            return again(key, date, retries: entry.retries + 1)
        }
        guard entry.givesBack else { return }
        if !entry.isTouched, !entry.didAsk, entry.rows.isEmpty, entry.settling == nil {
            entries[key]?.isReleasing = true
            releaseKeys.append(key)
        } else if entry.doubtful.isEmpty {
            // The store knows that time as passed: it is the next worker's.
            again(key, Date(timeIntervalSince1970: 0), retries: entry.retries)
        } else if isStopping {
            // A release keeps its doubts as they are. First the store gets its rows, which calls for this again.
            guard entry.rows.isEmpty, entry.settling == nil else { return }
            entries[key]?.isReleasing = true
            releaseKeys.append(key)
        } else {
            // It cannot be given back without a new doubt. It goes on once the store says that it is still ours.
            entries[key]?.givesBack = false
            entries[key]?.mustAsk = true
            offerKeys.append(key)
        }
    }

    private mutating func again(_ key: Key, _ date: Date, retries: Int) {
        entries[key]?.fate = .again(date, retries: retries)
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
