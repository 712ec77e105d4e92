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

/// The pauses between attempts to connect: min(2ⁿ − 1, ceiling) seconds with n from 1. Up to a fifth of each is
/// subtracted at random, so that many connections do not dial in step.
struct Backoff {
    private let ceiling: Duration
    private var random: SeededGenerator
    private(set) var attempt = 0

    init(ceiling: Duration, seed: UInt64) {
        self.ceiling = ceiling
        random = SeededGenerator(seed: seed)
    }

    /// The next pause.
    mutating func next() -> Duration {
        attempt += 1
        let seconds = (1 << min(attempt, 30)) - 1
        let pause = min(.seconds(seconds), ceiling)
        return pause * (1 - 0.2 * Double.random(in: 0..<1, using: &random))
    }

    /// Starts again after a link that was useful.
    mutating func reset() { attempt = 0 }
}

/// The port of the next attempt to connect: the configured one or, with the fallback on, 443 and 2197 in turn while
/// attempts fail in a way that another port may avoid. The port on which a link came up is kept.
struct PortChoice: Sendable, Equatable {
    /// APNs' second port, for networks whose firewall blocks 443 or interferes with it.
    static let alternate = 2_197

    /// The port of the next attempt.
    private(set) var port: Int
    private var other: Int?

    init(_ port: Int, fallsBack: Bool) {
        self.port = port
        other = fallsBack ? Self.alternate : nil
    }

    /// An attempt to connect to `port` failed in this layer.
    mutating func failed(in layer: ErrorLayer) {
        guard let other, Self.mendable.contains(layer) else { return }
        (port, self.other) = (other, port)
    }

    /// Failures that a firewall can cause. A name that cannot be resolved fails on every port; a host that speaks
    /// HTTP/2 has been reached.
    private static let mendable: Set<ErrorLayer> = [.connect, .proxy, .tls, .socket]
}
