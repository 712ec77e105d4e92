import Dispatch
import PushLocking

/// What went through a relay.
struct RelayTotals: Sendable {
    var connections = 0
    var open = 0
    /// From the client to the server.
    var bytesUp = 0
    var recordsUp = 0
    var bytesDown = 0
    /// When the latest connection was accepted, on Dispatch's clock.
    var acceptedAt = UInt64(0)
}

/// What a relay and its lanes share.
final class RelayState: Sendable {
    let totals = Locked(RelayTotals())
    private let isBlackHole = Locked(false)

    /// Whether nothing goes through any more; connections stay, and are accepted.
    var swallows: Bool { isBlackHole.withLock { $0 } }

    func swallow() { isBlackHole.withLock { $0 = true } }
}
