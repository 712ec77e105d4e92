/// Which of its two ports a connection came to.
enum Service: Sendable {
    /// Device pushes and broadcasts.
    case push
    /// Broadcast channels.
    case management
}
