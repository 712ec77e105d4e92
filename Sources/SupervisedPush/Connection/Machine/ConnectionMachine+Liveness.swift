/// Silent links: received bytes and PING answers, pushes that are held, links that are lost or stalled.
extension ConnectionMachine {
    mutating func received(_ id: LinkID) {
        let policy = settings.liveness
        modifyLink(id) { [now] in $0.liveness.received(now, policy: policy) }
    }

    mutating func pong(_ id: LinkID, ping: UInt64) {
        var isAwaited = false
        modifyLink(id) { [now] in isAwaited = $0.liveness.pong(ping, now) }
        guard isAwaited else { return }
        _ = checkLiveness(of: id)
    }

    /// Pushes wait. After long silence the link may be dead; a PING finds out without risking a push.
    mutating func askWhetherLinkLives() {
        guard let link = current, link.liveness.holds(now) else { return }
        if let ping = current?.liveness.hold(now, policy: settings.liveness) { actions.append(.ping(link.id, ping)) }
    }

    /// Checks every link; true if one is being given up or replaced.
    mutating func loseSilentLinks() -> Bool {
        var hasChanged = false
        for link in [current].compactMap(\.self) + draining.map(\.link) where link.liveness.nextWake <= now {
            if checkLiveness(of: link.id) { hasChanged = true }
        }
        return hasChanged
    }

    private mutating func checkLiveness(of id: LinkID) -> Bool {
        let policy = settings.liveness
        var alone: Int32 = -1
        modifyLink(id) { alone = $0.alone }
        let oldest = table.oldestWrite(on: id, except: alone)
        var finding = Liveness.Finding.fine
        modifyLink(id) { [now] in finding = $0.liveness.check(now, policy: policy, oldestWrite: oldest) }
        switch finding {
        case .fine:
            return false
        case .ping(let ping):
            actions.append(.ping(id, ping))
            return false
        case .lost:
            actions.append(.breakLink(id, .silent(policy)))
            return true
        case .stalled:
            // A draining link already has its successor, so it is only checked further.
            return current?.id == id ? replaceStalled(id) : checkLiveness(of: id)
        }
    }

    /// PINGs are answered, but pushes are not: a successor takes over. Written pushes may finish on the old link;
    /// unwritten ones are taken back.
    private mutating func replaceStalled(_ id: LinkID) -> Bool {
        replaceByForce("stalled", cause: .stalled(settings.liveness))
        takeBackUnwritten(of: id)
        return true
    }

    /// Takes back what a stalled link has not written.
    mutating func takeBackUnwritten(of id: LinkID) {
        for slot in table.slots {
            guard let entry = table[slot], entry.link == id, entry.state == .inFlight, entry.withdrawal == nil
            else { continue }
            withdraw(slot, because: .stalled)
        }
    }
}

extension LinkFailure {
    fileprivate static func silent(_ policy: PushConnection.Configuration.Liveness) -> Self {
        Self(
            .http2,
            "A PING was not answered within \(policy.pingTimeout): the network or the peer is down."
        )
    }

    fileprivate static func stalled(_ policy: PushConnection.Configuration.Liveness) -> Self {
        Self(
            .http2,
            "The peer answers PINGs, but has answered no push for \(policy.stall). The link had not been useful yet.")
    }
}
