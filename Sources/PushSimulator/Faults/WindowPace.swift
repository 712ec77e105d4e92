/// How the bytes of request bodies are given back to a provider by WINDOW_UPDATE (RFC 9113, section 6.9).
@nonexhaustive public enum WindowPace: Sendable, Hashable {
    /// As they are read, once half of a window is used. At this pace a connection begins, unless the
    /// ``SimulatedAPNs/Settings`` say otherwise.
    case prompt
    /// Never. A WINDOW_UPDATE that was queued before is still sent.
    case withhold
    /// At each interval, which must be more than zero, at most this many bytes of those that were read, for each window.
    case trickle(Dribble)
    /// This long after they were read.
    case delay(Duration)
}

/// The flow-control windows of a connection.
@nonexhaustive public enum WindowScope: String, Sendable, Hashable, CaseIterable {
    /// The window of the connection itself.
    case connection
    /// The windows of its streams, also of those that are opened later.
    case streams
    /// All of these.
    case all

    var includesConnection: Bool { self != .streams }
    var includesStreams: Bool { self != .connection }
}
