/// Links that say nothing: what is received and answered of PINGs, pushes that are held, links that are lost or stall.
extension ConnectionMachine {
    mutating func received(_ id: LinkID) {
        let policy = settings.liveness
        modifyLink(id) { [now] in $0.liveness.received(now, policy) }
    }

    mutating func pong(_ id: LinkID, _ ping: UInt64) {
        var isAwaited = false
        modifyLink(id) { [now] in isAwaited = $0.liveness.pong(ping, now) }
        guard isAwaited else { return }
        _ = look(at: id)
    }

    /// Pushes wait. After long silence the link may be gone, and a PING finds out without risking one.
    mutating func askWhetherLinkLives() {
        guard let link = current, link.liveness.holds(now) else { return }
        if let ping = current?.liveness.hold(now, settings.liveness) { actions.append(.ping(link.id, ping)) }
    }

    /// Looks at every link; true if one is being given up or replaced.
    mutating func loseSilentLinks() -> Bool {
        var hasChanged = false
        for link in [current].compactMap(\.self) + draining.map(\.link) where link.liveness.nextWake <= now {
            if look(at: link.id) { hasChanged = true }
        }
        return hasChanged
    }

    private mutating func look(at id: LinkID) -> Bool {
        let policy = settings.liveness
        let oldest = table.oldestWrite(on: id)
        var finding = Liveness.Finding.fine
        modifyLink(id) { [now] in finding = $0.liveness.look(now, policy, oldestWrite: oldest) }
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
            // A draining link has its successor; it is asked on.
            return current?.id == id ? replaceStalled(id) : look(at: id)
        }
    }

    /// PINGs are answered, pushes are not: a successor takes over. What was written may finish on the old link; what
    /// was not is taken back.
    private mutating func replaceStalled(_ id: LinkID) -> Bool {
        replaceByForce("stalled", .stalled(settings.liveness))
        for slot in table.slots {
            guard let entry = table[slot], entry.link == id, entry.state == .inFlight, entry.withdrawal == nil
            else { continue }
            withdraw(slot, .stalled)
        }
        return true
    }
}

extension LinkFailure {
    fileprivate static func silent(_ policy: LivenessPolicy) -> Self {
        Self(
            .http2,
            "A PING was not answered within \(policy.pingTimeout): the network dropped the connection, or the peer hangs."
        )
    }

    fileprivate static func stalled(_ policy: LivenessPolicy) -> Self {
        Self(
            .http2,
            "The peer answers PINGs, but for \(policy.stall) answered no push. The link had not been useful yet.")
    }
}
