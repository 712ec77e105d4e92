import PushTransport

extension PushConnection {
    /// The configuration of a connection. It is a value: change a copy with ``with(_:)`` and connect with it.
    public struct Configuration: Sendable {
        /// Called with each device token that APNs reports as invalid, one call at a time per connection, in the order
        /// in which the answers arrived. If it throws, the error is logged and changes nothing. It runs in a task of
        /// its own, so a slow handler delays no push. At most 10,000 events wait; then the newest are dropped and
        /// counted, see ``LifecycleMessage/feedbackOverflow(pid:name:count:)``.
        public typealias FeedbackHandler = @Sendable (FeedbackEvent) async throws -> Void

        /// Determines the host. Default `.production`.
        public var environment: APNsEnvironment
        /// A host that replaces the environment's, for a simulator or a gateway.
        public var host: String?
        /// The port, 1 to 65,535. Default 443; APNs also listens on 2197.
        public var port: Int
        /// Whether to try 2197 if 443 does not work. After each attempt that fails before HTTP/2 (in connecting, in the
        /// proxy, in TLS), the next one uses the other port; the port on which a link comes up is kept. Only with
        /// ``port`` 443, on any host. The requests' `:authority` stays the host. Default false.
        public var portFallback = false
        /// The route to the host: direct, through a proxy, or as the environment says. Default ``ProxySetting/none``.
        public var proxy = ProxySetting.none
        /// A signing key or a certificate.
        public var credential: Credential
        /// When to read or load credential and trust roots again. Default ``CredentialReload/byCall``.
        public var credentialReload = CredentialReload.byCall
        /// Which certificate authorities to trust. Default: the system's.
        public var trust: TrustRoots
        /// Header values for pushes that do not set their own.
        public var defaults: RequestDefaults
        /// How long a push may take, from the call to its answer; longer than 0 s. Default 10 s.
        public var timeout: Duration
        /// How long a stream stays open for a late answer after its push timed out, 0 s or longer. Default 60 s.
        public var lateWindow = Duration.seconds(60)
        /// How much may be in flight and wait.
        public var limits = Limits()
        /// How long connecting may take, when to check whether a link is alive, and what silence means.
        public var liveness = Liveness()
        /// What is tried again, when, and how often.
        public var retry = Retry()
        /// Where the connection logs, and who else watches it.
        public var watching = Watching()
        /// Whether a push waits for earlier pushes to its device. Default ``PushOrder/byCall``: it does not.
        public var ordered = PushOrder.byCall
        /// What to do when the owner's mailbox is closed or released. Default `.keep`.
        public var ownerPolicy = OwnerPolicy.keep
        /// Receives feedback. Default: none.
        public var feedback: FeedbackHandler?

        /// Makes a configuration. All other properties have documented defaults and can be set later.
        public init(
            environment: APNsEnvironment = .production, host: String? = nil, port: Int = 443, credential: Credential,
            trust: TrustRoots = .system, defaults: RequestDefaults = .init(), timeout: Duration = .seconds(10),
            feedback: FeedbackHandler? = nil
        ) {
            self.environment = environment
            self.host = host
            self.port = port
            self.credential = credential
            self.trust = trust
            self.defaults = defaults
            self.timeout = timeout
            self.feedback = feedback
        }

        /// A copy with changes, for example `config.with { $0.port = 2197 }`.
        public func with(_ change: (inout Self) -> Void) -> Self {
            var copy = self
            change(&copy)
            return copy
        }

        /// The host to dial.
        package var effectiveHost: String { host ?? environment.host }

        /// The configuration, validated, with the proxy that the environment names at this moment.
        func validated() throws(ConnectError) -> Self {
            try validate()
            let proxy = try proxy.resolved(for: endpoint)
            return with {
                $0.proxy = proxy
                // "No limit" is often written as the largest number; sums over a pool's connections must not overflow.
                $0.limits.maxInFlight = min($0.limits.maxInFlight, Int(Int32.max))
                $0.limits.maxWaiting = min($0.limits.maxWaiting, Int(Int32.max))
                $0.limits.maxWaitingBytes = min($0.limits.maxWaitingBytes, 1 << 48)
            }
        }

        var endpoint: Endpoint { Endpoint(host: effectiveHost, port: port) }

        /// The value of `:authority`: without the port if it is the scheme's default (RFC 9110, section 4.2.2).
        var authority: String { port == 443 ? endpoint.uriHost : "\(endpoint)" }

        /// Refuses invalid values; the error names the value and its range.
        func validate() throws(ConnectError) {
            try ConnectError.require(
                !effectiveHost.isEmpty, "host is empty: name the endpoint, or leave it out for Apple's.")
            try ConnectError.require((1...65_535).contains(port), "port is \(port): it must be 1 to 65535.")
            try ConnectError.require(
                !portFallback || port == 443,
                "portFallback alternates between 443 and 2197, but port is \(port): set port to 443, or turn it off.")
            try ConnectError.require(timeout > .zero, "timeout must be longer than 0 s.")
            try ConnectError.require(
                credentialReload.interval.map { $0 >= .seconds(1) } ?? true,
                "credentialReload is \"\(credentialReload)\": the interval must be at least 1 s.")
            try ConnectError.require(lateWindow >= .zero, "lateWindow must not be negative.")
            try limits.validate()
            try liveness.validate()
            try retry.validate()
            try watching.validate()
            if let problem = trust.problem { throw ConnectError(.configuration, problem) }
            if let problem = proxy.problem { throw ConnectError(.configuration, "proxy: \(problem)") }
        }
    }
}

extension ConnectError {
    /// Refuses a setting, with a sentence that names the value and its range.
    static func require(_ holds: Bool, _ sentence: String) throws(ConnectError) {
        guard holds else { throw ConnectError(.configuration, sentence) }
    }
}

/// Apple's two push services.
public struct APNsEnvironment: Sendable, Hashable, CustomStringConvertible {
    /// `production` or `development`.
    public let description: String
    /// The host of the environment.
    public let host: String
    /// The host that manages the broadcast channels of the environment.
    public let managementHost: String
    /// The port of that host.
    public let managementPort: Int

    /// Apps from the App Store, TestFlight and enterprise distribution.
    public static let production = Self(
        description: "production", host: "api.push.apple.com",
        managementHost: "api-manage-broadcast.push.apple.com", managementPort: 2_196)
    /// Apps run from Xcode. Apple also calls this environment the sandbox.
    public static let development = Self(
        description: "development", host: "api.sandbox.push.apple.com",
        managementHost: "api-manage-broadcast.sandbox.push.apple.com", managementPort: 2_195)
}

/// The order in which pushes go out.
public struct PushOrder: Sendable, Hashable, CustomStringConvertible {
    private let isPerDevice: Bool

    /// Requests go out over one link in the order of one caller's calls; resent pushes go before waiting ones. APNs
    /// handles them concurrently, so the order in which devices receive them is not guaranteed. The default.
    public static let byCall = Self(isPerDevice: false)
    /// One push in flight per device token. A later push to the same device waits, in call order, until the earlier one
    /// has its outcome, resends and retries included. Pushes to other devices do not wait for it. For broadcasts, the
    /// same applies per channel.
    ///
    /// This applies among the pushes of one connection that ask for it. An earlier push that ended `unknown` may still
    /// reach the device after the later one. Pushes that wait count against the connection's limits and have their own
    /// deadlines.
    public static let perDevice = Self(isPerDevice: true)

    /// The order's name: `by call` or `per device`.
    public var description: String { isPerDevice ? "per device" : "by call" }
}

/// What happens to a connection when its owner's mailbox is closed or released.
///
/// From then on, fire-and-forget pushes that would have been handed back to that mailbox are counted in the log.
public struct OwnerPolicy: Sendable, Hashable {
    /// How long the connection may continue; nil: without limit.
    let limit: Duration?

    /// The connection continues. The default.
    public static let keep = Self(limit: nil)

    /// The connection is closed, as by `PushConnection.close(within:)`, within 10 s.
    public static let close = Self.close(within: .seconds(10))

    /// The connection is closed, as by `PushConnection.close(within:)`: waiting pushes are still sent and pushes in
    /// flight may finish, until the time is over. Its other subscribers get `down` with the reason normal.
    public static func close(within time: Duration) -> Self { Self(limit: time) }
}
