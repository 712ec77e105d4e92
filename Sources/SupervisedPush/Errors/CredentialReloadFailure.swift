/// A connection or a pool whose credential could not be reloaded; see ``PushRuntime/reloadCredentials()``.
public struct CredentialReloadFailure: Sendable, CustomStringConvertible {
    /// Its name; nil for an anonymous connection.
    public let name: String?
    /// Its process; nil between two processes.
    public let pid: ProcessID?
    /// Why. It shows no secret.
    public let error: ConnectError

    /// Creates a failure, for tests of code that handles one.
    public init(name: String?, pid: ProcessID? = nil, error: ConnectError) {
        self.name = name
        self.pid = pid
        self.error = error
    }

    /// One line: name or pid, and why.
    public var description: String { "\(name ?? pid.map { "\($0)" } ?? "a connection"): \(error)" }
}
