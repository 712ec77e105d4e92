/// When a link is asked by an HTTP/2 PING whether it still lives (RFC 9113, section 6.7), and what silence means.
///
/// A network can drop a connection without telling either side. The defaults find that before a push's default timeout
/// of 10 s, and cost a healthy connection one PING an hour. All durations must be longer than 0 s. To switch one of
/// these off, make it very long.
public struct LivenessPolicy: Sendable, Hashable {
    /// After so long without a byte from APNs, the next pushes are held until a PING is answered; if it is not, they go
    /// out over the next link, and none of them is unknown. Default 4 min.
    public var quiet: Duration
    /// How long the answer to a PING may take; then the link counts as lost. Default 3 s.
    public var pingTimeout: Duration
    /// Once a push has been unanswered for so long, a PING is sent, and again after each such time. Default 5 s.
    public var unanswered: Duration
    /// A link that answers PINGs but for so long not one of the pushes on it has stalled: a successor takes over while
    /// it drains. Counts from its last answer or from the oldest unanswered push, whichever is later. Default 8 s.
    public var stall: Duration
    /// After so long without a byte from APNs, a PING keeps an idle link alive. Default 60 min.
    public var idlePing: Duration

    /// Makes a policy; by default, Apple's suggestion for idle connections and times that suit a timeout of 10 s.
    public init(
        quiet: Duration = .seconds(240), pingTimeout: Duration = .seconds(3), unanswered: Duration = .seconds(5),
        stall: Duration = .seconds(8), idlePing: Duration = .seconds(3_600)
    ) {
        self.quiet = quiet
        self.pingTimeout = pingTimeout
        self.unanswered = unanswered
        self.stall = stall
        self.idlePing = idlePing
    }

    /// No link is ever asked. For rehearsals whose clock jumps: a peer has no time to answer in the middle of a jump.
    package static let never = LivenessPolicy(
        quiet: .seconds(Int64.max), pingTimeout: .seconds(Int64.max), unanswered: .seconds(Int64.max),
        stall: .seconds(Int64.max), idlePing: .seconds(Int64.max))

    /// True if every duration is longer than 0 s.
    var isSound: Bool { [quiet, pingTimeout, unanswered, stall, idlePing].allSatisfy { $0 > .zero } }
}
