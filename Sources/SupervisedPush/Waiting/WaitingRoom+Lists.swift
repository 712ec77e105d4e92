/// The lists of the room.
extension WaitingRoom {
    /// Adds a push that was just called behind all others.
    mutating func appendReady(_ slot: Int32, to holder: HolderID, isSuspect: Bool) {
        if holder != Self.nobody {
            table[slot]?.place = .bound
            holders.appendBound(slot, to: holder, in: &places)
        } else if isSuspect {
            suspects.append(slot, in: &places)
        } else {
            ready.append(slot, in: &places)
        }
    }

    /// Moves a push that is in no list to the ready ones, in its place in call order.
    mutating func returnToReady(_ slot: Int32) {
        guard let push = table[slot] else { return }
        let limit = push.record.times.whileWaiting
        let isNewLimit = limit != push.limit
        table[slot]?.limit = limit
        if isNewLimit { deadlines.insert(slot, of: table) }
        table[slot]?.place = push.holder == Self.nobody ? .ready : .bound
        if push.holder != Self.nobody {
            let before = position(of: slot, in: holders[push.holder]?.bound ?? SlotList())
            return holders.insertBound(slot, after: before, to: push.holder, in: &places)
        }
        if push.record.policy.isSuspect {
            suspects.insert(slot, after: position(of: slot, in: suspects), in: &places)
        } else {
            ready.insert(slot, after: position(of: slot, in: ready), in: &places)
        }
        lastReturned = slot
    }

    /// The slot before this one in call order, -1 if there is none. The search starts where the last push was returned,
    /// because the pushes of a burst belong together.
    private func position(of slot: Int32, in list: SlotList) -> Int32 {
        let number = callNumber(of: slot)
        if list.last >= 0, callNumber(of: list.last) < number { return list.last }
        var before: Int32 = -1
        if let last = table[lastReturned], let push = table[slot], last.place == .ready, push.place == .ready,
            last.record.policy.isSuspect == push.record.policy.isSuspect, last.record.callNumber < number
        {
            before = lastReturned
        }
        var cursor = before >= 0 ? places.next(after: before) : list.first
        while cursor >= 0, callNumber(of: cursor) < number {
            before = cursor
            cursor = places.next(after: cursor)
        }
        return before
    }

    /// Removes a push from the room and from its lists.
    mutating func take(_ slot: Int32) -> WaitingPush? {
        guard let push = table.take(slot) else { return nil }
        leavePlace(slot, push: push)
        release(slot, push: push)
        return push
    }

    mutating func leavePlace(_ slot: Int32, push: borrowing WaitingPush) {
        if lastReturned == slot { lastReturned = -1 }
        switch push.place {
        case .ready where push.record.policy.isSuspect: suspects.remove(slot, in: &places)
        case .ready: ready.remove(slot, in: &places)
        case .bound: holders.removeBound(slot, from: push.holder, in: &places)
        case .paused: deferredCount -= 1
        case .refused:
            deferredCount -= 1
            if push.holder != Self.nobody { holders.removeRefused(slot, from: push.holder, in: &places) }
        case .line:
            deferredCount -= 1
            deviceQueues.leave(slot, for: push.record.recipient, in: &places)
        }
    }
}
