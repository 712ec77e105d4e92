import Glibc
import ProcessRuntime
import PushHTTP2
import PushTransport

/// The environment of a connection process: the network, randomness, and its parts.
struct ConnectionEnvironment: Sendable {
    let connector: any Connector
    /// UTC in milliseconds since 1970.
    let wallClock: @Sendable () -> Int64
    /// The seed for the process's jitter.
    let seed: @Sendable (ProcessID) -> UInt64
    /// Makes the HTTP/2 session of a new link, for the connection of this name. An error here is our own fault, so the
    /// process fails. Tests have it throw.
    var makeSession: @Sendable (_ name: String?, ClientSession.Configuration) throws -> ClientSession = { _, session in
        try ClientSession(session)
    }
    /// The last stream number that a link uses (RFC 9113, section 5.1.1). Tests lower it.
    var lastStream = ConnectionSettings().lastStream
    /// Lets other threads run that wait for this core, and returns at once if there are none. Tests let callers push.
    var giveWay: @Sendable () -> Void = { sched_yield() }
    /// Called when a pause before the next attempt to connect begins, with its end. Tests with a manual clock advance
    /// to it.
    var onPause: (@Sendable (MonotonicInstant) -> Void)?
}
