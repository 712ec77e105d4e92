import PushHTTP2
import PushLocking

/// Has connection processes really throw: the HTTP/2 session of a new link cannot be made.
package final class ProcessFaults: Sendable {
    package struct Fault: Error {}

    private struct State {
        /// How many more sessions of each connection fail; by name.
        var toFail: [String: Int] = [:]
        var failed: [String: Int] = [:]
    }

    private let state = Locked(State())

    package init() {}

    /// The next sessions of this connection cannot be made: each time, its process throws.
    package func fail(_ name: String, times: Int = .max) { state.withLock { $0.toFail[name] = times } }

    package func stopFailing(_ name: String) { state.withLock { $0.toFail[name] = nil } }

    /// How often the connection's process threw.
    package func count(_ name: String) -> Int { state.withLock { $0.failed[name] ?? 0 } }

    package var makeSession: @Sendable (String?, ClientSession.Configuration) throws -> ClientSession {
        { name, session in
            let name = name ?? ""
            let fails = self.state.withLock { state in
                guard let left = state.toFail[name], left > 0 else { return false }
                state.toFail[name] = left - 1
                state.failed[name, default: 0] += 1
                return true
            }
            guard !fails else { throw Fault() }
            return try ClientSession(session)
        }
    }
}
