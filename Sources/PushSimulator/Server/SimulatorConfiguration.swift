import ProcessRuntime

extension SimulatedAPNs {
    /// The configuration of a simulator. Only the contents of ``devices`` and ``channels`` can change while it runs.
    public struct Configuration: Sendable {
        /// The address to listen on: an IP literal or `localhost`. `127.0.0.1` by default.
        public var host = "127.0.0.1"
        /// The port, 0…65535. 0, the default, chooses a free one, which ``SimulatedAPNs/start()`` returns.
        public var port = 0
        /// The port for channel management, 0…65535 and different from ``port``. 0, the default, chooses a free one:
        /// ``SimulatedAPNs/managementPort``.
        public var managementPort = 0
        /// Production by default. In development answers carry `apns-unique-id`.
        public var environment = SimulatedEnvironment.production
        /// The authority, the server's certificate and the signing key. Nil, the default, makes new ones.
        public var credentials: ThrowAwayCredentials?
        /// Further valid signing keys, in addition to that of ``credentials``. None by default.
        public var keys: [ProviderKey] = []
        /// The topics of the teams. Others get 400 `TopicDisallowed`. That of the credentials, by default, so a push with a wrong topic
        /// is refused as APNs refuses it. With ``keys`` of other teams, list the topics of all.
        public var topics = SimulatedTopics.ofCredentials
        /// The device tokens, by default with the standard rules. May be changed while the simulator runs.
        public var devices = DeviceRegistry()
        /// The broadcast channels, by default none, and every app may create some. May be changed while the simulator
        /// runs.
        public var channels = ChannelRegistry()
        /// What is refused beyond what is known about APNs. Lenient by default.
        public var strictness = Strictness.lenient
        /// The values that connections announce.
        public var settings = Settings()
        /// How a provider certificate is refused that is not trusted or has expired.
        public var untrustedCertificate = UntrustedCertificate.goAway
        /// How long a connection must keep a provider token before it may send another. 20 minutes by default.
        public var providerTokenLifetime = Duration.seconds(1200)
        /// What the ledger keeps beside its counters. By default the first 100,000 pushes with their payloads:
        /// `Ledger.Detail.records`. For a load test use ``Ledger/Detail/counts`` or ``Ledger/Detail/counters``.
        public var ledger = Ledger.Detail.records
        /// How many connections may be open at once, over both ports; at least 1. A new one above that takes the place
        /// of the oldest connection without an accepted credential, or else of the one whose last request is longest
        /// ago, if that was 10 seconds or more and no answer to it is held or delayed. If there is none, it is reset.
        /// Nil, the default, allows as many as the program's descriptors permit (RLIMIT_NOFILE, two for each), at most
        /// 20,000.
        public var maxConnections: Int?
        /// The seed of latencies and of generated apns-ids and channel ids. The same seed gives each connection the
        /// same values.
        public var seed: UInt64 = 1
        /// The initial rules and their seed. None by default. Rules can be added at any time to
        /// ``SimulatedAPNs/faults``.
        public var script: FaultScript?
        /// Apple's export of metrics, over HTTPS on a port of its own: ``SimulatedAPNs/metricsPort``. Nil, the default, for
        /// none. A ``script`` can say what goes wrong there.
        public var metrics: SimulatedMetrics?
        /// The clocks; a `ManualTime` in tests of what takes an hour.
        public var time: any TimeSource = SystemTime()

        /// Creates a configuration with the documented defaults.
        public init() {}

        /// The export, with what the script says of it.
        var exportSettings: SimulatedMetrics? {
            guard var metrics, let script = script?.metrics else { return metrics }
            script.apply(to: &metrics)
            return metrics
        }
    }

    /// How a client certificate is refused that the authority did not issue or that has expired.
    public enum UntrustedCertificate: Sendable, Hashable {
        /// The TLS handshake fails with an alert.
        case alert
        /// The handshake succeeds, then GOAWAY follows with the reason `BadCertificate`.
        case goAway
    }

    /// The values of the first SETTINGS frame (RFC 9113, section 6.5.2).
    public struct Settings: Sendable, Hashable {
        /// MAX_CONCURRENT_STREAMS. A provider with a certificate gets it from the start; one without begins at 1 and
        /// gets it after its first accepted provider token. 1,000 by default, at least 1.
        public var maxConcurrentStreams = 1000
        /// HEADER_TABLE_SIZE, in bytes. 4,096 by default.
        public var headerTableSize = 4096
        /// INITIAL_WINDOW_SIZE, in bytes, up to 2^31-1. 65,535 by default. At 0 no body arrives until SETTINGS or
        /// ``SimulatedAPNs/updateWindow(by:of:on:)`` allow it.
        public var initialWindowSize = 65_535
        /// MAX_FRAME_SIZE, in bytes, 16,384…16,777,215. 16,384 by default.
        public var maxFrameSize = 16_384
        /// MAX_HEADER_LIST_SIZE, in bytes as RFC 9113 counts them. 8,000 by default. A request with more gets 431 and is
        /// not processed.
        public var maxHeaderListSize = 8000
        /// How many body bytes a provider may send on a connection before it must wait for WINDOW_UPDATE; at least
        /// 65,535, the default. Each connection of HTTP/2 begins with it (RFC 9113, section 6.9.2), and APNs is not
        /// known to enlarge it. A larger window is announced by a WINDOW_UPDATE at the start.
        public var connectionWindow = 65_535
        /// How body bytes are given back for the connection. As they are read, by default.
        public var connectionWindowPace = WindowPace.prompt
        /// How body bytes are given back for each stream. As they are read, by default.
        public var streamWindowPace = WindowPace.prompt

        /// Creates the settings that APNs was seen to announce.
        public init() {}

        /// What a connection begins with.
        var windowFaults: [Fault] {
            [Fault.window(connectionWindowPace, of: .connection), .window(streamWindowPace, of: .streams)].filter {
                if case .window(.prompt, _) = $0 { false } else { true }
            }
        }
    }
}

/// The APNs environment that is simulated.
public enum SimulatedEnvironment: String, Sendable, Hashable, CaseIterable {
    /// `api.push.apple.com`.
    case production
    /// `api.sandbox.push.apple.com`: answers also carry `apns-unique-id`.
    case development
}
