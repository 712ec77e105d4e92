/// What a script says of the export of metrics.
public struct MetricsScript: Sendable, Hashable {
    /// See ``SimulatedMetrics/polls``; nil leaves it as it is configured.
    public var polls: Int?
    /// See ``SimulatedMetrics/subscribers``; nil leaves it as it is configured.
    public var subscribers: Int?
    /// See ``SimulatedMetrics/failure``; nil leaves it as it is configured.
    public var failure: SimulatedMetrics.Failure?

    /// Creates what a script says.
    public init(polls: Int? = nil, subscribers: Int? = nil, failure: SimulatedMetrics.Failure? = nil) {
        self.polls = polls
        self.subscribers = subscribers
        self.failure = failure
    }

    /// The failures that have no value, by their names in JSON.
    static let plain: [String: SimulatedMetrics.Failure] = [
        "unauthorized": .unauthorized, "channelNotFound": .channelNotFound, "internalError": .internalError,
        "failed": .failed, "expired": .expired, "neverFinished": .neverFinished,
    ]
    /// Those with an address.
    static let addressed: [String: @Sendable (String) -> SimulatedMetrics.Failure] = [
        "requestRedirected": { .requestRedirected($0) }, "statusAt": { .statusAt($0) }, "reportAt": { .reportAt($0) },
        "reportRedirected": { .reportRedirected($0) },
    ]

    init(_ node: ScriptNode) throws(SimulatorError) {
        let members = try node.object(["polls", "subscribers", "failure"])
        polls = try members["polls"].map { node throws(SimulatorError) in try node.integer(0...1_000_000) }
        subscribers = try members["subscribers"].map { node throws(SimulatorError) in
            try node.integer(0...1_000_000_000)
        }
        guard let failure = members["failure"] else { return }
        let (name, value) = try failure.choice(Self.plain.keys.sorted(), Self.addressed.keys.sorted())
        if let value {
            self.failure = Self.addressed[name]?(try value.text())
        } else {
            self.failure = Self.plain[name]
        }
    }

    func apply(to metrics: inout SimulatedMetrics) {
        metrics.polls = polls ?? metrics.polls
        metrics.subscribers = subscribers ?? metrics.subscribers
        metrics.failure = failure ?? metrics.failure
    }
}
