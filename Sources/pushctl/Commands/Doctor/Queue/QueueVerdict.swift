import PushTerminal

/// What `doctor --queue` looks at, in the order in which it is printed.
enum QueueLayer: String, Sendable, CaseIterable {
    /// A server: TCP, TLS and the login.
    case connect
    /// A file: whether it is a queue, and who may use it.
    case file
    /// What the server is.
    case server
    /// Whether the user may do what a worker does.
    case rights
    /// What the server does when its memory is full.
    case policy
    /// What survives a crash.
    case durability
    case memory
    /// A file: whether SQLite can read all of it.
    case integrity
    case disk
    /// The round trip to the server.
    case delay
    case clock
    /// What belongs to this queue.
    case queue
    case backlog
    case outcomes
    case dead
    case workers
}

/// The result for one of them.
struct QueueVerdict: NamedVerdict, Equatable {
    let layer: QueueLayer
    let verdict: LayerVerdict.Verdict
    let duration: Duration?
    let detail: String
    let advice: String?
    /// The exit code, if it is a failure.
    let status: ExitStatus

    var name: String { layer.rawValue }

    init(
        _ layer: QueueLayer, is verdict: LayerVerdict.Verdict, detail: String, after duration: Duration? = nil,
        advice: String? = nil, status: ExitStatus = .configuration
    ) {
        self.layer = layer
        self.verdict = verdict
        self.detail = detail
        self.duration = duration
        self.advice = advice
        self.status = verdict == .fail ? status : .success
    }
}
