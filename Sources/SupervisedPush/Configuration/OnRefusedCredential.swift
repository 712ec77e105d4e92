/// What a connection does if APNs refuses its credential before it has accepted any push under the connection's name, for
/// example because the certificate or key belongs to another team or environment.
@nonexhaustive public enum OnRefusedCredential: Sendable, Hashable {
    /// Suspends the connection, as at any later time: pushes fail at once with the cause, and the name stays.
    /// `replaceCredential` or a probe resumes it. See ``LifecycleMessage/suspended(pid:name:cause:nextProbe:)``.
    case suspend
    /// Ends the connection with the cause and frees its name. In a `ServiceGroup`, the runtime's `run()` throws the
    /// cause. For programs that prefer to fail at the start.
    case giveUp
}
