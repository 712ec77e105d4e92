import PushTerminal

/// What a service tells its manager, by systemd's protocol. Times are seconds of any clock.
struct ServiceState: Sendable {
    /// How it stands at one turn of its loop.
    struct Standing: Sendable {
        /// Whether it does what it is there for.
        var isReady: Bool
        /// A sentence for a person.
        var text: String
    }

    /// The longest sentence, in characters.
    private static let longestText = 300
    /// How often the manager is asked for more time while the service is not ready, and for how much.
    private static let extensionPeriod = 10.0
    private static let extensionMicroseconds = 60_000_000

    /// How often the manager wants a sign of life; nil if it wants none.
    let watchdog: Double?
    /// Between two turns of the loop.
    let period: Double
    private var isReady = false
    private var isReloading = false
    private var isStopping = false
    private var text: String?
    private var extended: Double?
    private var alive: Double?

    /// - Parameter watchdog: How long the manager waits for a sign of life.
    init(watchdog: Double?) {
        self.watchdog = watchdog.map { $0 / 2 }
        period = min(1, (self.watchdog ?? 2) / 2)
    }

    /// The loop has turned.
    ///
    /// - Returns: What is to be sent; nil for nothing.
    mutating func turned(_ standing: Standing, at now: Double) -> String? {
        var lines: [String] = []
        if standing.isReady, !isReady {
            isReady = true
            lines.append("READY=1")
        }
        // A store that is away is waited for. A service that hangs asks for no time, and is ended.
        if !isReady, !isStopping, extended.map({ now - $0 >= Self.extensionPeriod }) ?? true {
            extended = now
            lines.append("EXTEND_TIMEOUT_USEC=\(Self.extensionMicroseconds)")
        }
        let sentence = standing.text.onOneLine.shortened(to: Self.longestText)
        if sentence != text, !isStopping {
            text = sentence
            lines.append("STATUS=\(sentence)")
        }
        // The next turn would come too late.
        if let watchdog, alive.map({ now - $0 > watchdog - period }) ?? true {
            alive = now
            lines.append("WATCHDOG=1")
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// The settings are read again.
    ///
    /// - Parameter microseconds: `CLOCK_MONOTONIC`.
    mutating func reloading(at microseconds: UInt64) -> String? {
        // Before that, the manager still waits for the start.
        guard isReady, !isReloading, !isStopping else { return nil }
        isReloading = true
        return "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
    }

    mutating func reloaded() -> String? {
        guard isReloading, !isStopping else { return nil }
        isReloading = false
        return "READY=1"
    }

    mutating func stopping() -> String? {
        guard !isStopping else { return nil }
        isStopping = true
        return "STOPPING=1\nSTATUS=stopping"
    }
}
