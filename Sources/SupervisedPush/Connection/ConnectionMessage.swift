/// What a connection process is sent.
enum ConnectionMessage: Sendable {
    /// The name is registered; dial.
    case start
    /// The intake holds pushes.
    case pushesWaiting
    /// A caller cancelled its push.
    case cancel(PushRecord)
    /// Send what can be sent by the deadline, then end.
    case close(deadline: MonotonicInstant)
}
