/// What becomes of links that are not the current one any more, and the bookkeeping of all.
extension ConnectionMachine {
    mutating func goAway(
        _ id: LinkID, _ reason: String?, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]
    ) {
        if let refusal = credentialRefusal(in: reason, of: id) { return credentialRefused(refusal, now, &actions) }
        let said = reason.map { "APNs said goodbye: \($0)." } ?? "APNs said goodbye (GOAWAY)."
        if dialed?.id == id {
            actions.append(.abandonLink(id))
            dialFailed(LinkFailure(.http2, said), now, &actions)
        } else if current?.id == id {
            replaceByForce(reason, LinkFailure(.http2, said + " The link had not been useful yet."), now, &actions)
        }
    }

    /// Lets a link finish its streams and opens no more on it. Before a fifth one drains, the oldest is closed.
    mutating func drain(_ link: LinkState, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        current = nil
        while draining.count >= settings.maxDraining { endDraining(draining[0].id, &actions) }
        var link = link
        link.deadline = now.advanced(by: settings.drainLimit)
        draining.append(link)
        linkMoved(link.id, now, &actions)
    }

    /// Closes a draining link; what it holds is settled by what the wire knows.
    mutating func endDraining(_ id: LinkID, _ actions: inout [ConnectionAction]) {
        for slot in table.slots where table[slot]?.link == id {
            switch table[slot]?.state {
            case .inFlight: withdraw(slot, .drained, &actions)
            case .late: endLate(slot, .noAnswer, resetting: false, &actions)
            case nil: break
            }
        }
        draining.removeAll { $0.id == id }
        actions.append(.closeLink(id))
    }

    /// A stream of this link ended: it may have drained.
    mutating func linkMoved(_ id: LinkID, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        if current?.id != id, let index = draining.firstIndex(where: { $0.id == id }), draining[index].open == 0 {
            draining.remove(at: index)
            actions.append(.closeLink(id))
        }
    }

    func isUseful(_ link: LinkState?, _ now: MonotonicInstant) -> Bool {
        guard let link else { return false }
        return link.hasAnswered || link.upSince.duration(to: now) >= settings.usefulAfter
    }

    mutating func streamEnded(_ id: LinkID) { modifyLink(id) { $0.open -= 1 } }

    /// A stream of this link was reset by us before it was answered.
    mutating func streamGivenUp(_ entry: PushEntry) {
        modifyLink(entry.link) {
            $0.open -= 1
            $0.liveness.gaveUp(writtenAt: entry.writtenAt)
        }
    }

    /// Whether pushes of this link can still be answered.
    func holds(_ id: LinkID) -> Bool { current?.id == id || draining.contains { $0.id == id } }

    mutating func takeReset(_ id: LinkID, _ now: MonotonicInstant) -> Bool {
        var taken = false
        modifyLink(id) { taken = $0.resets.take(now) }
        return taken
    }

    mutating func modifyLink(_ id: LinkID, _ change: (inout LinkState) -> Void) {
        if current?.id == id {
            current?.apply(change)
        } else if let index = draining.firstIndex(where: { $0.id == id }) {
            change(&draining[index])
        }
    }
}
