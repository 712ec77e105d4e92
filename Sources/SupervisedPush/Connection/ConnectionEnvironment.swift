import WireTransport

/// What a connection process needs from outside: where bytes go, and where chance comes from.
struct ConnectionEnvironment: Sendable {
    let connector: any Connector
    /// UTC in milliseconds since 1970.
    let wallClock: @Sendable () -> Int64
    /// A seed for the process's jitter.
    let seed: @Sendable (ProcessID) -> UInt64
}
