import ProcessRuntime

/// How long an attempt to connect may take. Direct: `connectTimeout`, from the name's resolution to the peer's
/// SETTINGS. While a proxy opens the tunnel, that time stands still; the tunnel has a time of its own.
extension ConnectionMachine {
    mutating func dialReached(_ id: LinkID, step: DialStep) {
        guard var attempt = dialed, attempt.id == id else { return }
        switch (step, attempt.stage) {
        case (.loading, _): attempt.stage = .loading
        case (.connecting, _): attempt.stage = .connecting
        case (.tunnelling, .connecting):
            attempt.stage = .tunnelling(left: now.duration(to: attempt.deadline))
            attempt.deadline = now.advanced(by: settings.tunnelTimeout)
        case (.tunnelled, .tunnelling(let left)):
            attempt.stage = .tunnelled
            attempt.deadline = now.advanced(by: left)
        case (.tunnelling, _), (.tunnelled, _): return
        }
        dialed = attempt
    }

    /// The attempt took too long.
    mutating func abandonDialing(_ attempt: Attempt) {
        actions.append(.abandonLink(attempt.id))
        let cause =
            switch attempt.stage {
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
                    "The proxy opened no tunnel within \(settings.tunnelTimeout): does it reach the host and the port?"
                )
            case .connecting, .tunnelled:
                LinkFailure(
                    .connect,
                    "No link came up within \(settings.connectTimeout): are the host and the network right?"
                )
            }
        dialFailed(cause)
    }
}
