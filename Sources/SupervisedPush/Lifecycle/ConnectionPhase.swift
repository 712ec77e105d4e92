/// Where a connection stands.
@nonexhaustive public enum ConnectionPhase: String, Sendable, Hashable {
    /// A link is being set up; pushes wait.
    case dialing
    /// Pushes flow.
    case up
    /// Between two attempts to connect; pushes wait.
    case down
    /// APNs refuses the credential: pushes fail at once with `credentialRefused`, and one in a while tries the
    /// credential again.
    case suspended
    /// It was closed or given up: pushes fail at the call.
    case ended
}
