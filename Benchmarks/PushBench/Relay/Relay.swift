import Dispatch
import Glibc
import PushLocking

/// Passes TCP bytes on, each direction after a delay, and counts them: a slow network on one machine.
///
/// Two or three threads a connection; for a few connections.
final class Relay: Sendable {
    private let upstream: Int
    private let delay: Duration
    private let listener: Int32
    private let state = RelayState()
    let port: Int

    /// Listens on loopback; `port` 0 takes a free one.
    init(to upstream: Int, port: Int = 0, delay: Duration = .zero) throws {
        self.upstream = upstream
        self.delay = delay
        (listener, self.port) = try LoopbackSocket.listen(port)
    }

    var totals: RelayTotals { state.totals.withLock { $0 } }

    /// From now on takes bytes and passes none on.
    func swallow() { state.swallow() }

    func start() {
        DetachedThread.start { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                state.totals.withLock { totals in
                    totals.connections += 1
                    totals.open += 1
                    totals.acceptedAt = DispatchTime.now().uptimeNanoseconds
                }
                pass(client)
            }
        }
    }

    private func pass(_ client: Int32) {
        LoopbackSocket.sendAtOnce(client)
        guard let server = try? LoopbackSocket.connect(upstream) else {
            close(client)
            return state.totals.withLock { $0.open -= 1 }
        }
        // Both lanes have ended: the descriptors are free.
        let ends = Locked(2)
        let ended: @Sendable () -> Void = { [state] in
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
            guard
                ends.withLock({ ends in
                    ends -= 1; return ends == 0
                })
            else { return }
            close(client)
            close(server)
            state.totals.withLock { $0.open -= 1 }
        }
        RelayLane(from: client, to: server, isUp: true, delay, state).start(ended)
        RelayLane(from: server, to: client, isUp: false, delay, state).start(ended)
    }
}
