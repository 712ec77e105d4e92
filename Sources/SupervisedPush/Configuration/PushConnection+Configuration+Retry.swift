extension PushConnection.Configuration {
    /// What is tried again, when, and how often: pushes, connecting, a refused credential, a process that failed.
    public struct Retry: Sendable {
        /// What the connection resends on its own. Default `.unprocessed`.
        public var resend: ResendPolicy
        /// Which rejections to retry. Default: none, ``StatusRetryPolicy/never``.
        public var statusRetry: StatusRetryPolicy
        /// The longest pause between two attempts to connect, 1 s or longer. Pauses grow as 1, 3, 7 … s, each up to a
        /// fifth shorter at random. Default 10 s.
        public var backoffCeiling: Duration
        /// The longest pause between two pushes that try a refused credential, 1 s or longer. Pauses grow as 1, 2, 4 …
        /// s. Default 15 min.
        public var probeCeiling: Duration
        /// What to do if APNs refuses the credential before it has accepted any push under the connection's name.
        /// Default ``OnRefusedCredential/suspend``.
        public var onRefusedCredential: OnRefusedCredential
        /// When to restart the connection's process. Nil, the default: always (`.permanent`) for a named connection,
        /// never (`.temporary`) for an anonymous one.
        public var restart: RestartPolicy?
        /// How many restarts are allowed, in which time and after which delays. Default: three in 60 s, after 0, 1 and
        /// 2 s; after the next end, the connection is given up. An intensity whose delays fill its period could never
        /// give up, so its initializer refuses it.
        public var restartIntensity: RestartIntensity

        /// Makes the group. What is not given has its documented default.
        public init(
            resend: ResendPolicy = .unprocessed, statusRetry: StatusRetryPolicy = .never,
            backoffCeiling: Duration = .seconds(10), probeCeiling: Duration = .seconds(15 * 60),
            onRefusedCredential: OnRefusedCredential = .suspend, restart: RestartPolicy? = nil,
            restartIntensity: RestartIntensity = .standard
        ) {
            self.resend = resend
            self.statusRetry = statusRetry
            self.backoffCeiling = backoffCeiling
            self.probeCeiling = probeCeiling
            self.onRefusedCredential = onRefusedCredential
            self.restart = restart
            self.restartIntensity = restartIntensity
        }

        /// Refuses values out of range; the error names the value and its range.
        func validate() throws(ConnectError) {
            try ConnectError.require(backoffCeiling >= .seconds(1), "retry.backoffCeiling must be 1 s or longer.")
            try ConnectError.require(probeCeiling >= .seconds(1), "retry.probeCeiling must be 1 s or longer.")
            if let problem = statusRetry.problem { throw ConnectError(.configuration, problem) }
        }
    }
}
