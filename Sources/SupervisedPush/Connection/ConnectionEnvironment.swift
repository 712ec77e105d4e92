import ProcessRuntime
import PushHTTP2
import PushTransport

/// What a connection process needs from outside: where bytes go, where chance comes from, and what it is built of.
struct ConnectionEnvironment: Sendable {
    let connector: any Connector
    /// UTC in milliseconds since 1970.
    let wallClock: @Sendable () -> Int64
    /// A seed for the process's jitter.
    let seed: @Sendable (ProcessID) -> UInt64
    /// Makes the HTTP/2 session of a new link, for the connection of this name. That it throws is our own fault: the
    /// process fails. Tests have it throw.
    var makeSession: @Sendable (_ name: String?, ClientSession.Configuration) throws -> ClientSession = { _, session in
        try ClientSession(session)
    }
    /// The last stream number that a link uses (RFC 9113, section 5.1.1). Tests lower it.
    var lastStream = ConnectionSettings().lastStream
    /// Is told when a pause before the next attempt to connect ends. Tests with a manual clock pass it over.
    var onPause: (@Sendable (MonotonicInstant) -> Void)?
}
