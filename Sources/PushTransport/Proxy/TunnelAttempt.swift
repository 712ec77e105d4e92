import Dispatch
import PushLocking

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
