import ProcessRuntime

/// Events of links, the fate of those that are no longer current, and the bookkeeping of all.
extension ConnectionMachine {
    /// A burst is one event, because its later parts affect its earlier ones: a link that sends GOAWAY in the burst
    /// with its first SETTINGS was never up, and a PING's answer means that pushes are not answered, unless this burst
    /// answers them.
    mutating func heard(_ news: [LinkNews], of id: LinkID, hasBytes: Bool) {
        if hasBytes { received(id) }
        var hasPong = false
        for index in news.indices {
            switch news[index] {
            case .answered(let slot, let response, let retryFrom):
                answered(on: id, slot: slot, response: response, retryFrom: retryFrom)
            case .streamClosed(let slot, let end, let fate): streamClosed(on: id, slot: slot, end: end, fate: fate)
            case .settings(let maximum):
                if dialed?.id == id, news.contains(where: \.isGoAway) { continue }
                settings(maximum, of: id)
            case .goAway(let reason, let lastStream):
                // An answer behind it in the burst also shows that the link was useful.
                if current?.id == id, news.contains(where: \.isAnswer) { current?.hasAnswered = true }
                goAway(id, reason: reason, lastStream: lastStream)
            case .pong: hasPong = true
            }
        }
        if hasPong { for case .pong(let ping) in news { pong(id, ping: ping) } }
    }

    mutating func goAway(_ id: LinkID, reason: String?, lastStream: Int32) {
        if let refusal = credentialRefusal(in: reason, of: id) { return credentialRefused(refusal) }
        let said = reason.map { "APNs sent GOAWAY: \($0)." } ?? "APNs sent GOAWAY."
        if dialed?.id == id {
            actions.append(.abandonLink(id))
            dialFailed(LinkFailure(.http2, said))
        } else if let served = current?.id == id ? current?.ended(lastStream: lastStream) : nil {
            shares.linkEnded(served: served, few: settings.maxInFlight)
            replaceByForce(reason, cause: LinkFailure(.http2, said + " The link had not been useful yet."))
        }
    }

    /// Lets a link finish its streams and opens no more on it. Before a fifth one drains, the oldest is closed.
    mutating func drain(_ link: UpLink) {
        current = nil
        while draining.count >= settings.maxDraining { endDraining(draining[0].id) }
        draining.append(DrainingLink(link: link, deadline: now.advanced(by: settings.drainLimit)))
        linkMoved(link.id)
    }

    /// Closes a draining link; its pushes end by what the wire knows.
    mutating func endDraining(_ id: LinkID) {
        for slot in table.slots where table[slot]?.link == id {
            switch table[slot]?.state {
            case .inFlight: withdraw(slot, because: .drained)
            case .late: endLate(slot, with: .noAnswer, resetting: false)
            case nil: break
            }
        }
        draining.removeAll { $0.id == id }
        actions.append(.closeLink(id))
    }

    /// A stream of this link ended, so the link may have drained.
    mutating func linkMoved(_ id: LinkID) {
        if !draining.isEmpty, current?.id != id, let index = draining.firstIndex(where: { $0.id == id }),
            draining[index].link.open == 0
        {
            draining.remove(at: index)
            actions.append(.closeLink(id))
        }
    }

    func isUseful(_ link: UpLink?) -> Bool {
        guard let link else { return false }
        return link.hasAnswered || link.upSince.duration(to: now) >= settings.usefulAfter
    }

    mutating func streamEnded(_ id: LinkID) { modifyLink(id) { $0.streamEnded() } }

    /// We reset a stream of this link before it was answered.
    mutating func streamGivenUp(_ entry: PushEntry) {
        modifyLink(entry.link) {
            $0.streamEnded()
            $0.liveness.gaveUp(writtenAt: entry.writtenAt)
        }
    }

    /// Whether pushes of this link can still be answered.
    func holds(_ id: LinkID) -> Bool { current?.id == id || draining.contains { $0.id == id } }

    mutating func takeReset(_ id: LinkID) -> Bool {
        var taken = false
        modifyLink(id) { [now] in taken = $0.resets.take(now) }
        return taken
    }

    mutating func modifyLink(_ id: LinkID, _ change: (inout UpLink) -> Void) {
        if current?.id == id {
            current?.apply(change)
        } else if let index = draining.firstIndex(where: { $0.id == id }) {
            change(&draining[index].link)
        }
    }
}

extension LinkNews {
    fileprivate var isAnswer: Bool {
        if case .answered = self { true } else { false }
    }

    fileprivate var isGoAway: Bool {
        if case .goAway = self { true } else { false }
    }
}
