/// The phase of a connection.
@nonexhaustive public enum ConnectionPhase: String, Sendable, Hashable {
    /// A link is being set up; pushes wait.
    case dialing
    /// Pushes flow.
    case up
    /// The connection pauses between two attempts to connect; pushes wait.
    case down
    /// APNs refuses the credential. Pushes fail at once with `credentialRefused`; from time to time one tries the
    /// credential again.
    case suspended
    /// It was closed or given up: pushes fail at the call.
    case ended
}
