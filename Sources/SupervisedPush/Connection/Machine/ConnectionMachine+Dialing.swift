import WireTransport

/// How long an attempt to connect may take. Straight: `connectTimeout`, from the name's resolution to the peer's SETTINGS.
/// Through a proxy that time stands still while the proxy makes the tunnel, which has a time of its own.
extension ConnectionMachine {
    mutating func dialLoads(_ id: LinkID, _ isLoading: Bool) {
        if dialed?.id == id { dialed?.dialStage = isLoading ? .loading : .connecting }
    }

    mutating func dialReached(_ id: LinkID, _ stage: ProxyConnector.Stage, _ now: MonotonicInstant) {
        guard var link = dialed, link.id == id else { return }
        switch (stage, link.dialStage) {
        case (.tunnelling, .connecting):
            link.dialStage = .tunnelling(left: now.duration(to: link.deadline))
            link.deadline = now.advanced(by: settings.tunnelTimeout)
        case (.tunnelled, .tunnelling(let left)):
            link.dialStage = .tunnelled
            link.deadline = now.advanced(by: left)
        case (.tunnelling, _), (.tunnelled, _): return
        }
        dialed = link
    }

    /// The attempt took too long.
    mutating func giveUpDialing(
        _ link: LinkState, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]
    ) {
        actions.append(.abandonLink(link.id))
        let cause =
            switch link.dialStage {
            case .loading:
                LinkFailure(
                    .credential,
                    "The credential was not loaded within \(settings.connectTimeout): does its loader answer?")
            case .connecting where settings.usesProxy:
                LinkFailure(
                    .proxy, "The proxy was not reached within \(settings.connectTimeout): are its host and port right?")
            case .tunnelling:
                LinkFailure(
                    .proxy,
                    "The proxy made no tunnel within \(settings.tunnelTimeout): does it reach the host, and this port?")
            case .connecting, .tunnelled:
                LinkFailure(
                    .connect,
                    "No link came up within \(settings.connectTimeout): is the host right, and the network open?")
            }
        dialFailed(cause, now, &actions)
    }
}
