/// Pushes that go from one connection of a pool to another.
extension PoolEntry {
    /// Gives the pushes that wait at a connection to those that can take them; those for which it is the best itself, it
    /// keeps. Called by its process, which looks into its intake next.
    func spread(_ pushes: [PassedOnPush], from entry: ConnectionEntry) {
        guard !pushes.isEmpty else { return }
        var assigned: [ObjectIdentifier: Int] = [:]
        let candidates = members.isEmpty ? [entry] : members
        let (moves, cancelled) = entry.intake.giveAway(pushes) { record in
            let index = MemberStanding.best(of: candidates.count, from: 0, isSuspect: false) { index in
                var standing = candidates[index].standing
                standing.crowd.outstanding += assigned[ObjectIdentifier(candidates[index])] ?? 0
                // It is taken in whether or not there is room: bytes and completions that are slow count for new pushes only.
                standing.crowd.isFull = standing.crowd.outstanding >= standing.limit + config.maxWaiting
                return standing
            }
            let chosen = candidates[index ?? 0]
            assigned[ObjectIdentifier(chosen), default: 0] += 1
            return chosen === entry ? nil : chosen
        }
        entry.answer(cancelled) { .cancelled(PushEntry($0)) }
        for (_, moves) in Dictionary(grouping: moves, by: { ObjectIdentifier($0.entry) }) {
            guard let taker = moves.first?.entry else { continue }
            // One that ended meanwhile takes none; who gave them away still lives, because its process is the caller.
            let refused = taker.take(over: moves, otherwise: entry)
            if !refused.isEmpty { _ = entry.take(over: refused, otherwise: nil) }
        }
    }
}

extension ConnectionEntry {
    /// Goes on with pushes that another connection of the pool gave away.
    ///
    /// - Parameter other: who has them if this connection has ended; nil: then they end, too.
    /// - Returns: what is to be moved on to the other.
    fileprivate func take(over moves: [Intake.Move], otherwise other: ConnectionEntry?) -> [Intake.Move] {
        let adoption = intake.adopt(moves, otherwise: other)
        answer(adoption.cancelled) { .cancelled(PushEntry($0)) }
        answer(adoption.refused) { .closed($0) }
        if pid == nil { keepTime() }
        return adoption.passedOn
    }
}
