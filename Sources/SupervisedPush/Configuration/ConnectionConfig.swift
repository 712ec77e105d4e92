import Logging
import PushTransport

/// The configuration of a connection. It is a value: change a copy with ``with(_:)`` and connect with it.
public struct ConnectionConfig: Sendable {
    /// Called with each device token that APNs reports as invalid, one call at a time per connection, in the order in
    /// which the answers arrived. If it throws, the error is logged and changes nothing. It runs in a task of its own, so a
    /// slow handler delays no push. At most 10,000 events wait; then the newest are dropped and counted, see
    /// ``LifecycleMessage/feedbackOverflow(pid:name:count:)``.
    public typealias FeedbackHandler = @Sendable (FeedbackEvent) async throws -> Void

    /// Determines the host. Default `.production`.
    public var environment: APNsEnvironment
    /// A host that replaces the environment's, for a simulator or a gateway.
    public var host: String?
    /// The port, 1 to 65,535. Default 443; APNs also listens on 2197.
    public var port: Int
    /// Whether to try 2197 if 443 does not work. After each attempt that fails before HTTP/2 (in connecting, in the
    /// proxy, in TLS), the next one uses the other port; the port on which a link comes up is kept. Only with ``port``
    /// 443, on any host. The requests' `:authority` stays the host. Default false.
    public var portFallback = false
    /// The route to the host: direct, through a proxy, or as the environment says. Default ``ProxySetting/none``.
    public var proxy = ProxySetting.none
    /// A signing key or a certificate.
    public var credential: Credential
    /// What to do if APNs refuses the credential before it has accepted any push under the connection's name. Default
    /// ``OnRefusedCredential/suspend``.
    public var onRefusedCredential = OnRefusedCredential.suspend
    /// The longest pause between two pushes that try a refused credential, 1 s or longer. Pauses grow as 1, 2, 4 … s.
    /// Default 15 min.
    public var probeCeiling = Duration.seconds(15 * 60)
    /// When to read or load credential and trust roots again. Default ``CredentialReload/byCall``.
    public var credentialReload = CredentialReload.byCall
    /// Which certificate authorities to trust. Default: the system's.
    public var trust: TrustRoots
    /// Header values for pushes that do not set their own.
    public var defaults: RequestDefaults
    /// How long a push may take, from the call to its answer; longer than 0 s. Default 10 s.
    public var timeout: Duration
    /// How long one attempt to connect may take, from the name's resolution to the peer's SETTINGS; longer than 0 s.
    /// Default 15 s. The time in which a proxy opens the tunnel does not count: see ``tunnelTimeout``.
    public var connectTimeout: Duration
    /// How long a proxy may take to open the tunnel, once it is reached; longer than 0 s. Default 30 s.
    public var tunnelTimeout = Duration.seconds(30)
    /// The longest pause between two attempts to connect, 1 s or longer. Pauses grow as 1, 3, 7 … s, each up to a fifth
    /// shorter at random. Default 10 s.
    public var backoffCeiling: Duration
    /// The most pushes in flight at a time, 1 or more. APNs' own limit applies if it is lower. Default 1000.
    public var maxInFlight: Int
    /// The most pushes that a new link has in flight before its first answer, 1 or more. Default 64. Each answer allows one
    /// more, up to ``maxInFlight``, so the number doubles with each round trip; a push without an answer ends this limit.
    /// A server that ends each connection after few requests then has little to refuse.
    public var firstFlight = 64
    /// The most pushes that wait, 1 or more. Values above 2,147,483,647 count as that. Default 10,000. Pushes that are
    /// sent again do not count, but while as many of them as this were refused twice, no other push is accepted.
    public var maxWaiting: Int
    /// The most payload bytes that wait, 8,192 or more. Default 16 MiB.
    public var maxWaitingBytes: Int
    /// The most bytes of JSON that a push or a broadcast over this connection may have, 1 or more. APNs' own limit for
    /// its type always applies. The call refuses a larger payload (`payload_too_large`). Default nil: APNs' limit
    /// alone.
    public var maxPayloadBytes: Int?
    /// What to do with a push if the queue is full. Default `.wait`: the async and blocking forms wait for room, the
    /// others are refused.
    public var whenFull: WhenFull
    /// How long a push may be held back so that later ones can share its write. Default nil: no time; pushes that are
    /// called in one burst share writes of up to 16 KiB. 0: each push is written by itself. Up to 1 s: until that time
    /// is over, or 16 KiB are full. If single pushes are called often, this trades latency for fewer packets.
    public var flushDelay: Duration?
    /// How long a stream stays open for a late answer after its push timed out, 0 s or longer. Default 60 s.
    public var lateWindow: Duration
    /// When to check whether a link is alive, and what silence means. Default: see ``LivenessPolicy``.
    public var liveness: LivenessPolicy
    /// What the connection resends on its own. Default `.unprocessed`.
    public var resend: ResendPolicy
    /// Which rejections to retry. Default: none, ``StatusRetryPolicy/never``.
    public var statusRetry: StatusRetryPolicy
    /// Whether a push waits for earlier pushes to its device. Default ``PushOrder/byCall``: it does not.
    public var ordered: PushOrder
    /// What to do when the owner's mailbox is closed or released. Default `.keep`.
    public var ownerPolicy: OwnerPolicy
    /// When to restart the connection's process. Nil, the default: always (`.permanent`) for a named connection, never
    /// (`.temporary`) for an anonymous one.
    public var restart: RestartPolicy?
    /// How many restarts are allowed, in which time and after which delays. Default: three in 60 s, after 0, 1 and 2 s;
    /// after the next end, the connection is given up. An intensity whose delays fill its period could never give up,
    /// so its initializer refuses it.
    public var restartIntensity: RestartIntensity
    /// Receives feedback. Default: none.
    public var feedback: FeedbackHandler?
    /// Where the connection logs. Nil, the default: to the runtime's logger, see ``PushRuntime/Configuration/logger``.
    public var logger: Logger?
    /// Where the connection's metrics go. Default: to the factory of `MetricsSystem`.
    public var metrics = MetricsDestination.bootstrapped
    /// Where spans of pushes go. Default: to the tracer of `InstrumentationSystem`.
    public var tracing = TracingDestination.bootstrapped
    /// Receives every event of the connection. Default: none.
    public var observer: (any ConnectionObserver)?
    /// How many entries the flight recorder keeps, 0 to 65,536, about 50 bytes each; 0 turns it off. Default 256.
    public var flightRecorderLimit = 256

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
        connectTimeout = .seconds(15)
        backoffCeiling = .seconds(10)
        maxInFlight = 1_000
        maxWaiting = 10_000
        maxWaitingBytes = 16 << 20
        whenFull = .wait
        ownerPolicy = .keep
        restartIntensity = .standard
        lateWindow = .seconds(60)
        liveness = LivenessPolicy()
        resend = .unprocessed
        statusRetry = .never
        ordered = .byCall
    }

    /// A copy with changes, for example `config.with { $0.port = 2197 }`.
    public func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// The host to dial.
    public var effectiveHost: String { host ?? environment.host }

    /// The configuration, validated, with the proxy that the environment names at this moment.
    func validated() throws(ConnectError) -> Self {
        try validate()
        let proxy = try proxy.resolved(for: endpoint)
        return with {
            $0.proxy = proxy
            // "No limit" is often written as the largest number; sums over a pool's connections must not overflow.
            $0.maxInFlight = min($0.maxInFlight, Int(Int32.max))
            $0.maxWaiting = min($0.maxWaiting, Int(Int32.max))
            $0.maxWaitingBytes = min($0.maxWaitingBytes, 1 << 48)
        }
    }

    var endpoint: Endpoint { Endpoint(host: effectiveHost, port: port) }

    /// The value of `:authority`: without the port if it is the scheme's default (RFC 9110, section 4.2.2).
    var authority: String { port == 443 ? endpoint.uriHost : "\(endpoint)" }

    /// Refuses invalid values; the error names the value and its range.
    func validate() throws(ConnectError) {
        func require(_ holds: Bool, _ sentence: String) throws(ConnectError) {
            guard holds else { throw ConnectError(.configuration, sentence) }
        }
        try require(!effectiveHost.isEmpty, "host is empty: name the endpoint, or leave it out for Apple's.")
        try require((1...65_535).contains(port), "port is \(port): it must be 1 to 65535.")
        try require(
            !portFallback || port == 443,
            "portFallback alternates between 443 and 2197, but port is \(port): set port to 443, or turn it off.")
        try require(timeout > .zero, "timeout must be longer than 0 s.")
        try require(connectTimeout > .zero, "connectTimeout must be longer than 0 s.")
        try require(tunnelTimeout > .zero, "tunnelTimeout must be longer than 0 s.")
        try require(backoffCeiling >= .seconds(1), "backoffCeiling must be 1 s or longer.")
        try require(maxInFlight >= 1, "maxInFlight is \(maxInFlight): it must be 1 or more.")
        try require(firstFlight >= 1, "firstFlight is \(firstFlight): it must be 1 or more.")
        try require(maxWaiting >= 1, "maxWaiting is \(maxWaiting): it must be 1 or more.")
        try require(maxWaitingBytes >= 8_192, "maxWaitingBytes is \(maxWaitingBytes): it must be 8192 or more.")
        try require(maxPayloadBytes.map { $0 >= 1 } ?? true, "maxPayloadBytes must be 1 or more, or nil.")
        try require(
            (0...65_536).contains(flightRecorderLimit),
            "flightRecorderLimit is \(flightRecorderLimit): it must be 0 to 65536.")
        try require(
            flushDelay.map { (.zero ... .seconds(1)).contains($0) } ?? true, "flushDelay must be 0 s to 1 s, or nil.")
        try require(
            credentialReload.interval.map { $0 >= .seconds(1) } ?? true,
            "credentialReload is \"\(credentialReload)\": the interval must be at least 1 s.")
        try require(probeCeiling >= .seconds(1), "probeCeiling must be 1 s or longer.")
        try require(lateWindow >= .zero, "lateWindow must not be negative.")
        try require(liveness.isValid, "liveness: each of its durations must be longer than 0 s.")
        if let problem = trust.problem { throw ConnectError(.configuration, problem) }
        if let problem = proxy.problem { throw ConnectError(.configuration, "proxy: \(problem)") }
        if let problem = statusRetry.problem { throw ConnectError(.configuration, problem) }
    }
}
