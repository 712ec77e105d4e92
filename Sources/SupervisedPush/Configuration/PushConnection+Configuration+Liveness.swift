extension PushConnection.Configuration {
    /// How long connecting may take, when an HTTP/2 PING checks whether a link is alive (RFC 9113, section 6.7), and
    /// what silence means.
    ///
    /// A network can drop a connection without telling either side. The defaults detect that within a push's default
    /// timeout of 10 s, and cost a healthy connection one PING an hour. All durations must be longer than 0 s. To turn
    /// one of them off, make it very long.
    public struct Liveness: Sendable, Hashable {
        /// How long one attempt to connect may take, from the name's resolution to the peer's SETTINGS; longer than 0
        /// s. Default 15 s. The time in which a proxy opens the tunnel does not count: see ``tunnelTimeout``.
        public var connectTimeout: Duration
        /// How long a proxy may take to open the tunnel, once it is reached; longer than 0 s. Default 30 s.
        public var tunnelTimeout: Duration
        /// After this time without a byte from APNs, the next pushes are held back until a PING is answered. If it is
        /// not, they go out over the next link, and none of them is unknown. Default 4 min.
        public var quiet: Duration
        /// How long the answer to a PING may take. After that, the link counts as lost. Default 3 s.
        public var pingTimeout: Duration
        /// When a push has been unanswered for this time, a PING is sent, and again after each such time. Default 5 s.
        public var unanswered: Duration
        /// If a link answers PINGs but none of its pushes for this time, it has stalled: a replacement link takes over
        /// while it drains. The time counts from the link's last answer or from its oldest unanswered push, whichever
        /// is later.
        ///
        /// The same if pushes wait for this time because the server takes no more bytes (flow control, RFC 9113,
        /// section 5.2), from the last byte that it granted. If the replacement takes none, either, that counts as a
        /// failed attempt to connect. Default 8 s.
        public var stall: Duration
        /// After this time without a byte from APNs, a PING keeps an idle link alive. Default 60 min.
        public var idlePing: Duration

        /// Makes a policy. The defaults are Apple's suggestion for idle connections, and times that suit a timeout of
        /// 10 s.
        public init(
            connectTimeout: Duration = .seconds(15), tunnelTimeout: Duration = .seconds(30),
            quiet: Duration = .seconds(240), pingTimeout: Duration = .seconds(3), unanswered: Duration = .seconds(5),
            stall: Duration = .seconds(8), idlePing: Duration = .seconds(3_600)
        ) {
            self.connectTimeout = connectTimeout
            self.tunnelTimeout = tunnelTimeout
            self.quiet = quiet
            self.pingTimeout = pingTimeout
            self.unanswered = unanswered
            self.stall = stall
            self.idlePing = idlePing
        }

        /// Never sends a PING. For rehearsals whose clock jumps: a peer has no time to answer during a jump.
        package static let never = Liveness(
            quiet: .seconds(Int64.max), pingTimeout: .seconds(Int64.max), unanswered: .seconds(Int64.max),
            stall: .seconds(Int64.max), idlePing: .seconds(Int64.max))

        /// Refuses values out of range; the error names the value and its range.
        func validate() throws(ConnectError) {
            try ConnectError.require(connectTimeout > .zero, "liveness.connectTimeout must be longer than 0 s.")
            try ConnectError.require(tunnelTimeout > .zero, "liveness.tunnelTimeout must be longer than 0 s.")
            try ConnectError.require(
                [quiet, pingTimeout, unanswered, stall, idlePing].allSatisfy { $0 > .zero },
                "liveness: each of its durations must be longer than 0 s.")
        }
    }
}
