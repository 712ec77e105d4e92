import ProcessRuntime

/// Settlements: in batches, one at a time, and again until the store has them.
extension WorkerMachine {
    /// There is something to settle of the entry.
    mutating func soil(_ key: Key) {
        guard let place = entries.index(forKey: key) else { return }
        if dirtySince == nil { dirtySince = now }
        if entries.values[place].settling.add() { dirtyKeys.append(key) }
    }

    /// Settles what waits, if there is enough or it has waited long enough.
    mutating func settle() -> Bool {
        guard let dirtySince else { return false }
        let isDue = dirtySince.advanced(by: Times.settle) <= now || (isStopping && flying == 0)
        guard isDue || settleFails || waitingRows >= Self.settleBatch else { return false }
        var (parts, keys): ([Part], [Key]) = ([], [])
        var rows = 0
        for key in dirtyKeys {
            guard rows < Self.largestSettlement else { break }
            keys.append(key)
            guard let part = part(of: key) else { continue }
            parts.append(part)
            rows += part.rows.count
        }
        dirtyKeys.removeFirst(keys.count)
        self.dirtySince = dirtyKeys.isEmpty ? nil : now
        waitingRows = max(0, waitingRows - rows)
        guard !parts.isEmpty else {
            // The entries of a settlement that failed can be forgotten meanwhile: then nothing has to be repeated.
            if dirtyKeys.isEmpty { settleFails = false }
            return false
        }
        call = .settle(parts.map(\.key))
        out.append(.settle(parts))
        return true
    }

    private mutating func part(of key: Key) -> Part? {
        guard let place = entries.index(forKey: key) else { return nil }
        let fate = entries.values[place].beginSettling()
        return Part(key: key, rows: entries.values[place].rows, fate: fate)
    }

    /// The store has them.
    mutating func settled(_ keys: [Key]) {
        settleFails = false
        for key in keys {
            guard let place = entries.index(forKey: key), entries.values[place].settling.isUnderWay else { continue }
            if entries.values[place].didSettle() { forget(key) } else { resolve(key) }
        }
    }

    /// The store may have them, or not.
    mutating func unsettled(_ keys: [Key]) {
        settleFails = true
        for key in keys {
            if let place = entries.index(forKey: key) { entries.values[place].settling = .waiting }
        }
        dirtyKeys = keys + dirtyKeys.filter { !keys.contains($0) }
        dirtySince = dirtySince ?? now
    }
}
