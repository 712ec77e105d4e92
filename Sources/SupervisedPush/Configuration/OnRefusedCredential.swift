/// What becomes of a connection when APNs refuses its credential before it accepted a push with it: a certificate or
/// key of another team or environment, say.
@nonexhaustive public enum OnRefusedCredential: Sendable, Hashable {
    /// The connection is suspended, as it would be later: pushes fail at once with the cause, the name stays,
    /// `replaceCredential` and a probe bring it back. See ``LifecycleMessage/suspended(pid:name:cause:nextProbe:)``.
    case suspend
    /// The connection ends with the cause, its name becomes free, and in a `ServiceGroup` the runtime's `run()` throws
    /// it. For programs that prefer to fail at the start.
    case giveUp
}
