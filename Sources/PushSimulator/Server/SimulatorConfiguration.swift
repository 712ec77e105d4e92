import ProcessRuntime

extension SimulatedAPNs {
    /// How a simulator is set up; nothing of it changes while it runs, except what ``devices`` and ``channels`` hold.
    public struct Configuration: Sendable {
        /// The address to listen on: an IP literal or `localhost`. `127.0.0.1` by default.
        public var host = "127.0.0.1"
        /// The port, 0…65535; 0, the default, picks a free one, which ``SimulatedAPNs/start()`` returns.
        public var port = 0
        /// The port for channel management, 0…65535 and another than ``port``; 0, the default, picks a free one:
        /// ``SimulatedAPNs/managementPort``.
        public var managementPort = 0
        /// Production by default. In development answers carry `apns-unique-id`.
        public var environment = SimulatedEnvironment.production
        /// The authority, the server's certificate, the signing key; nil, the default, makes new ones.
        public var credentials: ThrowAwayCredentials?
        /// Signing keys that are good beside the one of ``credentials``. None by default.
        public var keys: [ProviderKey] = []
        /// The topics the team has; others are answered with 400 `TopicDisallowed`. Nil, the default, allows any.
        public var topics: Set<String>?
        /// The device tokens. The standard rules by default; may be changed while the simulator runs.
        public var devices = DeviceRegistry()
        /// The broadcast channels. None at first, and every app may have some; may be changed while the simulator runs.
        public var channels = ChannelRegistry()
        /// What is refused beyond what is certain of APNs. Lenient by default.
        public var strictness = Strictness.lenient
        /// What the connections announce.
        public var settings = Settings()
        /// How a provider certificate that is not trusted, or has expired, is refused.
        public var untrustedCertificate = UntrustedCertificate.goAway
        /// How long a provider token must be kept on a connection before another may follow. 20 minutes by default.
        public var providerTokenLifetime = Duration.seconds(1200)
        /// What the ledger keeps beside its counters. By default the first 100,000 pushes with 64 MiB of payloads: `Ledger.Detail.records`.
        /// For a load test take ``Ledger/Detail/counts`` or ``Ledger/Detail/counters``.
        public var ledger = Ledger.Detail.records
        /// Seeds what is drawn: latencies, apns-ids and channel ids made by the simulator. The same seed gives each connection the same numbers.
        public var seed: UInt64 = 1
        /// The rules in force from the start, and their seed. None by default; rules can be added at any time to ``SimulatedAPNs/faults``.
        public var script: FaultScript?
        /// The clocks: a `ManualTime` in tests of what takes an hour.
        public var time: any TimeSource = SystemTime()

        /// The defaults, one by one as documented.
        public init() {}
    }

    /// How a client certificate is refused that the authority did not issue, or that has expired.
    public enum UntrustedCertificate: Sendable, Hashable {
        /// The TLS handshake fails with an alert.
        case alert
        /// The handshake succeeds, then comes GOAWAY with the reason `BadCertificate`.
        case goAway
    }

    /// The values of the first SETTINGS frame and what follows from it (RFC 9113, section 6.5.2).
    public struct Settings: Sendable, Hashable {
        /// MAX_CONCURRENT_STREAMS: from the start for a provider with a certificate, after its first accepted provider token for one
        /// without, who begins at 1. 1,000 by default, 1 at least.
        public var maxConcurrentStreams = 1000
        /// HEADER_TABLE_SIZE, in bytes. 4,096 by default.
        public var headerTableSize = 4096
        /// INITIAL_WINDOW_SIZE, in bytes. 65,535 by default.
        public var initialWindowSize = 65_535
        /// MAX_FRAME_SIZE, in bytes, 16,384…16,777,215. 16,384 by default.
        public var maxFrameSize = 16_384
        /// MAX_HEADER_LIST_SIZE, in bytes as the RFC counts them. 8,000 by default.
        public var maxHeaderListSize = 8000
        /// Bytes of bodies a provider may send on a connection before it waits for WINDOW_UPDATE, 65,535 at least. 1 MiB by default.
        public var connectionWindow = 1 << 20

        /// What APNs was seen to announce.
        public init() {}
    }
}
