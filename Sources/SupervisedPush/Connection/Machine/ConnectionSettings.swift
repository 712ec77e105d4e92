/// The numbers in a connection machine's decisions.
struct ConnectionSettings: Sendable {
    /// Our own limit on the streams of a link.
    var maxInFlight = 1_000
    /// The most streams that a link opens before its first answer.
    var firstFlight = Int.max
    /// The port of the first attempt, and whether others may use another one.
    var port = 443
    var fallsBackToOtherPort = false
    /// How long an attempt to connect may take, without the time in which a proxy opens its tunnel.
    var connectTimeout = Duration.seconds(15)
    var usesProxy = false
    /// How long a proxy may take for the tunnel.
    var tunnelTimeout = Duration.seconds(30)
    /// The longest pause between attempts.
    var backoffCeiling = Duration.seconds(10)
    /// How long a timed-out push's stream stays open.
    var lateWindow = Duration.seconds(60)
    /// How long a link may drain after GOAWAY.
    var drainLimit = Duration.seconds(60)
    /// A link that was up for this long, or answered a push, was useful: its end is not a failed attempt.
    var usefulAfter = Duration.seconds(30)
    /// Links that may drain at a time.
    var maxDraining = 4
    /// How often one push is written at most.
    var maxAttempts = 20
    /// Whether the connection uses a certificate instead of provider tokens. Another credential can change it.
    var usesCertificate = false
    /// The last stream number a link uses; after it, a new link takes over by force.
    var lastStream = Int32.max - 2
    /// Beyond this stream number a successor is dialled, while a million streams are left.
    var scarceStream = Int32.max - 2 - 2_000_000
    /// When to check links with PINGs. Default: never; the configuration sets it.
    var liveness = PushConnection.Configuration.Liveness.never

    /// Up to this stream number, the remaining numbers need no check.
    var plentyUpTo: Int32 { min(scarceStream, lastStream) }
}

extension ConnectionSettings {
    init(_ config: PushConnection.Configuration) {
        maxInFlight = config.limits.maxInFlight
        firstFlight = config.limits.firstFlight
        port = config.port
        fallsBackToOtherPort = config.portFallback
        connectTimeout = config.liveness.connectTimeout
        usesProxy = config.proxy.server != nil
        tunnelTimeout = config.liveness.tunnelTimeout
        backoffCeiling = config.retry.backoffCeiling
        lateWindow = config.lateWindow
        usesCertificate = config.credential.isCertificate
        liveness = config.liveness
    }
}
