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

/// What a connection resends on its own.
public struct ResendPolicy: Sendable, Hashable, CustomStringConvertible {
    private enum Level: UInt8 { case never, unprocessed, unknown }

    private let level: Level

    /// Pushes that APNs certainly did not process, in their place in call order, within their deadline, at most 20
    /// times. This cannot cause a duplicate. The default.
    public static let unprocessed = Self(level: .unprocessed)
    /// Nothing. Each push is written once; one that was not processed ends with the error `unprocessed`.
    public static let never = Self(level: .never)
    /// As ``unprocessed``, and also pushes that may have been processed: they were written, and then the link was lost
    /// or the stream was reset without a valid answer. **This can cause a duplicate.** A push that reached APNs twice
    /// has the same `apns-id` and `apns-collapse-id` both times. Give the push a collapse id: the device then shows it
    /// once.
    ///
    /// Such a push always carries an `apns-id` made here, also if `.byServer` was asked for. Without it, the two
    /// attempts would be two unrelated notifications. A push that has been reported already, for example as timed out,
    /// is not resent. A push that never gets an answer ends with the worst of its attempts: `unknown`.
    public static let resendUnknown = Self(level: .unknown)

    /// The policy's name: `never`, `unprocessed` or `unknown`.
    public var description: String {
        switch level {
        case .never: "never"
        case .unprocessed: "unprocessed"
        case .unknown: "unknown"
        }
    }
}

/// What a connection does if APNs refuses its credential before it has accepted any push under the connection's name, for
/// example because the certificate or key belongs to another team or environment.
@nonexhaustive public enum OnRefusedCredential: Sendable, Hashable {
    /// Suspends the connection, as at any later time: pushes fail at once with the cause, and the name stays.
    /// `replaceCredential` or a probe resumes it. See ``LifecycleMessage/suspended(pid:name:cause:nextProbe:)``.
    case suspend
    /// Ends the connection with the cause and frees its name. In a `ServiceGroup`, the runtime's `run()` throws the
    /// cause. For programs that prefer to fail at the start.
    case giveUp
}
