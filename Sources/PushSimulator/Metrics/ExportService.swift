import Dispatch
import ProcessRuntime
import PushHTTP1
import PushLocking
import PushTransport

/// The export of metrics of one simulator: its connections, and what they asked.
final class ExportService: Sendable {
    private struct State {
        var desk: ExportDesk
        var requests: [MetricsRequest] = []
        var open: [Int: ExportConnection] = [:]
        var lastNumber = 0
    }

    private static let mostConnections = 64
    private static let mostRequests = 1_000

    private let core: SimulatorCore
    private let state: Locked<State>
    private let queue = DispatchQueue(label: "simulated-apns.metrics", target: .global(qos: .userInteractive))

    init(_ settings: SimulatedMetrics, teamID: String, core: SimulatorCore) {
        self.core = core
        state = Locked(State(desk: ExportDesk(settings, teamID: teamID)))
    }

    /// The first requests that came.
    var requests: [MetricsRequest] { state.withLock { $0.requests } }

    /// A new connection. One that is too many is turned away.
    func accept(_ channel: any ByteChannel) {
        // HTTP/1.1, which needs no name in ALPN: the client's report can be on a host that speaks nothing else.
        guard let context = try? core.contexts.context(.noALPN) else { return channel.abort() }
        let connection = state.withLock { state -> ExportConnection? in
            guard state.open.count < Self.mostConnections else { return nil }
            state.lastNumber += 1
            let number = state.lastNumber
            let made = ExportConnection { [weak self] request in
                self?.answer(request) ?? HTTP1Message(.response(status: 503))
            } onEnd: { [weak self] in
                self?.state.withLock { $0.open[number] = nil }
            }
            state.open[number] = made
            return made
        }
        guard let connection else { return channel.abort() }
        queue.async { [queue] in connection.start(channel, context, on: queue) }
    }

    /// Ends all connections.
    func endAll() {
        let open = state.withLock { Array($0.open.values) }
        queue.async { for connection in open { connection.cut() } }
    }

    private func answer(_ request: HTTP1Message) -> HTTP1Message {
        let (channels, environment) = (core.configuration.channels, core.configuration.environment)
        let facts = ExportDesk.Facts(
            now: core.system.time.wallClockMilliseconds, figures: core.ledger.figures
        ) { bundleID in Set(channels.channels(of: bundleID, in: environment).map(\.id)) }
        return state.withLock { state in
            let answer = state.desk.answer(request, facts)
            if case .request(let method, let target) = request.start, state.requests.count < Self.mostRequests {
                state.requests.append(
                    MetricsRequest(
                        method: method, target: target, showedToken: request[ExportDesk.tokenField] != nil,
                        status: answer.status ?? 0))
            }
            return answer
        }
    }
}
