import Dispatch
import PushLocking

/// Opens channels through a proxy. Connects to the proxy and requests a tunnel to the endpoint, whose name the proxy
/// resolves.
///
/// TLS runs end to end through the tunnel, so the proxy sees only the endpoint's name. As with any connector there is
/// no time limit; the stages tell a caller with a limit where its time goes.
package final class ProxyConnector: Connector {
    package enum Stage: Sendable, Equatable {
        /// The proxy is connected and the tunnel is requested.
        case tunnelling
        /// The tunnel is open; the completion follows.
        case tunnelled
    }

    private let proxy: ProxyServer
    private let connector: any Connector
    private let onStage: @Sendable (Stage) -> Void

    /// - Parameters:
    ///   - connector: Connects to the proxy.
    ///   - onStage: Called on the queue of `connect`, never from inside `connect`, and not after `cancel()` on that
    ///     queue.
    package init(
        _ proxy: ProxyServer, through connector: any Connector,
        onStage: @escaping @Sendable (Stage) -> Void = { _ in }
    ) {
        self.proxy = proxy
        self.connector = connector
        self.onStage = onStage
    }

    package func connect(
        to endpoint: Endpoint, on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable {
        let attempt = TunnelAttempt(proxy, to: endpoint, on: queue, onStage: onStage, completion: completion)
        attempt.start(connector)
        return attempt
    }
}

/// The conversation that asks a proxy for a tunnel, as a pure value: bytes in, bytes out, then up or failed.
protocol ProxyTunnel: Sendable {
    /// The first bytes to send, or an error if there is nothing valid to send.
    mutating func start() -> TunnelStep
    /// Handles bytes of the proxy. Not called after an outcome.
    mutating func receive(_ bytes: [UInt8]) -> TunnelStep
}

/// What to do after a message of the proxy.
struct TunnelStep: Equatable {
    enum Outcome: Equatable {
        /// The tunnel is open, and `rest` already came out of it.
        case up(rest: [UInt8])
        case failed(TransportError)
    }

    /// The bytes to send to the proxy.
    var bytes: [UInt8] = []
    /// Nil while more of the proxy's answer is needed.
    var outcome: Outcome?

    static func say(_ bytes: [UInt8]) -> TunnelStep { TunnelStep(bytes: bytes) }
    static func failed(_ error: TransportError) -> TunnelStep { TunnelStep(outcome: .failed(error)) }
    static let wait = TunnelStep()
}

extension ProxyServer {
    /// The tunnel protocol of this proxy, for `target`.
    func tunnel(to target: Endpoint) -> any ProxyTunnel {
        switch kind {
        case .http: HTTPConnectTunnel(to: target, through: self)
        case .socks5: SOCKS5Tunnel(to: target, through: self)
        }
    }
}

/// One connect through a proxy: first the connect to the proxy, then its tunnel. The interpreter of a `ProxyTunnel`.
///
/// The connect's completion and the channel's events keep it alive until it ends or is cancelled.
final class TunnelAttempt: Cancellable, @unchecked Sendable {
    // Sendable: only `queue` accesses `tunnel`, `channel` and `unwritten`; the rest is constant or locked.
    typealias Completion = @Sendable (Result<any ByteChannel, TransportError>) -> Void

    private struct State {
        var completion: Completion?
        var dial: (any Cancellable)?
    }

    private let queue: DispatchQueue
    private let onStage: @Sendable (ProxyConnector.Stage) -> Void
    private let errors: ProxyErrors
    private let state: Locked<State>
    private var tunnel: any ProxyTunnel
    private var channel: TunnelledChannel?
    /// The bytes that the channel has not accepted yet.
    private var unwritten: [UInt8] = []

    init(
        _ proxy: ProxyServer, to target: Endpoint, on queue: DispatchQueue,
        onStage: @escaping @Sendable (ProxyConnector.Stage) -> Void, completion: @escaping Completion
    ) {
        self.queue = queue
        self.onStage = onStage
        errors = ProxyErrors(proxy: proxy, target: target)
        tunnel = proxy.tunnel(to: target)
        state = Locked(State(completion: completion))
    }

    func start(_ connector: any Connector) {
        let dial = connector.connect(to: errors.proxy.endpoint, on: queue) { result in
            switch result {
            case .success(let channel): self.connected(channel)
            case .failure(let error): self.finish(.failure(self.errors.unreachable(error)))
            }
        }
        let isOver = state.withLock { state in
            state.dial = dial
            return state.completion == nil
        }
        if isOver { dial.cancel() }
    }

    func cancel() {
        let dial = state.withLock { state in
            defer { state = State() }
            return state.dial
        }
        dial?.cancel()
        // The channel is confined to the queue.
        queue.async { self.drop() }
    }

    private var isOver: Bool { state.withLock { $0.completion == nil } }

    private func drop() {
        channel?.abort()
        channel = nil
    }

    private func finish(_ result: Result<any ByteChannel, TransportError>) {
        let completion = state.withLock { state in
            defer { state = State() }
            return state.completion
        }
        if case .failure = result { drop() }
        channel = nil
        if let completion { return completion(result) }
        if case .success(let channel) = result { channel.abort() }
    }

    // MARK: The tunnel

    private func connected(_ connected: any ByteChannel) {
        guard !isOver else { return connected.abort() }
        // This closure keeps the attempt alive until it is finished.
        let channel = TunnelledChannel(connected, on: queue) { event in
            switch event {
            case .readable: self.read()
            case .writable: self.write()
            }
        }
        self.channel = channel
        onStage(.tunnelling)
        channel.open()
        perform(tunnel.start())
    }

    private func perform(_ step: TunnelStep) {
        unwritten += step.bytes
        write()
        switch step.outcome {
        case nil: break
        case .failed(let error): finish(.failure(error))
        case .up(let rest):
            guard let channel, !isOver else { return drop() }
            channel.establish(rest)
            onStage(.tunnelled)
            finish(.success(channel))
        }
    }

    private func write() {
        while let channel, !unwritten.isEmpty {
            switch unwritten.withUnsafeBytes({ channel.write($0) }) {
            case .taken(let count): unwritten.removeFirst(count)
            // Reading reports the failure, and first what the proxy sent before it.
            case .wouldBlock, .failed: return
            }
        }
    }

    private func read() {
        while let channel {
            let (result, bytes) = withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 1) { buffer in
                let result = channel.read(into: buffer)
                guard case .bytes(let count) = result else { return (result, [UInt8]()) }
                return (result, Array(buffer.prefix(count)))
            }
            switch result {
            case .bytes: perform(tunnel.receive(bytes))
            case .wouldBlock: return
            case .endOfStream: return finish(.failure(errors.closed))
            case .failed(let number): return finish(.failure(errors.broken(number)))
            }
        }
    }
}
