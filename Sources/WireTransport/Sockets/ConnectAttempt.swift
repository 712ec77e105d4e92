import Dispatch
import Glibc
import Locking

/// One connect: a lookup, then one address after the other until one answers.
///
/// It lives by the lookup's completion and by its source's handlers until it ends or is cancelled.
final class ConnectAttempt: Cancellable {
    typealias Completion = @Sendable (Result<any ByteChannel, TransportError>) -> Void

    private struct State {
        var completion: Completion?
        var lookup: (any Cancellable)?
        /// The source on the address being tried.
        var source: (any DispatchSourceWrite)?
    }

    private let endpoint: Endpoint
    private let queue: DispatchQueue
    private let state: Locked<State>

    init(to endpoint: Endpoint, on queue: DispatchQueue, _ completion: @escaping Completion) {
        self.endpoint = endpoint
        self.queue = queue
        state = Locked(State(completion: completion))
    }

    func start(_ resolver: Resolver) {
        guard (1...65_535).contains(endpoint.port), !endpoint.host.isEmpty, !endpoint.host.utf8.contains(0) else {
            let sentence = "\(endpoint) is no endpoint: give a host and a port from 1 to 65535."
            let error = TransportError(layer: .resolve, code: .invalidEndpoint, sentence: sentence)
            return queue.async { self.finish(.failure(error)) }
        }
        let lookup = resolver.resolve(endpoint.host, on: queue) { answer in
            switch answer {
            case .success(let addresses): self.attempt(addresses[...])
            case .failure(let error): self.finish(.failure(error))
            }
        }
        let isOver = state.withLock { state in
            state.lookup = lookup
            return state.completion == nil
        }
        if isOver { lookup.cancel() }
    }

    func cancel() {
        let (lookup, source) = state.withLock { state in
            defer { state = State() }
            return (state.lookup, state.source)
        }
        lookup?.cancel()
        source?.cancel()
    }

    private var isOver: Bool { state.withLock { $0.completion == nil } }

    private func finish(_ result: Result<any ByteChannel, TransportError>) {
        let completion = state.withLock { state in
            defer { state = State() }
            return state.completion
        }
        if let completion { return completion(result) }
        if case .success(let channel) = result { channel.close() }
    }

    private func attempt(_ addresses: ArraySlice<SocketAddress>) {
        guard var address = addresses.first, !isOver else { return }
        let rest = addresses.dropFirst()
        address.port = endpoint.port
        switch Socket.make(family: address.family) {
        case .failure(let error):
            failed(address, error.number, rest)
        case .success(let descriptor):
            let code = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
            let number = code == 0 ? 0 : errno
            if number == 0 { return finish(.success(SocketChannel(descriptor: descriptor))) }
            if number == EINPROGRESS || number == EINTR { return observe(descriptor, address, rest) }
            _ = Glibc.close(descriptor)
            failed(address, number, rest)
        }
    }

    /// Waits until the descriptor is writable, which is when the connect has ended one way or the other. The source's
    /// cancel handler is where the descriptor passes on to a channel, or is closed.
    private func observe(_ descriptor: Int32, _ address: SocketAddress, _ rest: ArraySlice<SocketAddress>) {
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        let outcome = Locked<Int32?>(nil)
        source.setEventHandler { [weak self] in
            let number = Socket.pendingError(descriptor)
            outcome.withLock { $0 = number }
            self?.state.withLock { $0.source }?.cancel()
        }
        source.setCancelHandler {
            switch outcome.withLock({ $0 }) {
            case 0?: return self.finish(.success(SocketChannel(descriptor: descriptor)))
            case let number?:
                _ = Glibc.close(descriptor)
                self.failed(address, number, rest)
            case nil: _ = Glibc.close(descriptor)
            }
        }
        let isCancelled = state.withLock { state in
            guard state.completion != nil else { return true }
            state.source = source
            return false
        }
        source.activate()
        if isCancelled { source.cancel() }
    }

    private func failed(_ address: SocketAddress, _ number: Int32, _ rest: ArraySlice<SocketAddress>) {
        guard rest.isEmpty else { return attempt(rest) }
        let place = address.description == endpoint.host ? "\(endpoint)" : "\(endpoint) (\(address))"
        finish(
            .failure(
                TransportError(
                    layer: .connect, code: .system(number),
                    sentence: "No connection to \(place): \(errnoText(number)). \(Self.advice(number))")))
    }

    private static func advice(_ number: Int32) -> String {
        switch number {
        case ECONNREFUSED: "Check the host and the port, and that the server runs."
        case EMFILE, ENFILE: "Raise the limit of open files (ulimit -n)."
        case EACCES, EPERM: "Check this machine's firewall."
        case ENETUNREACH, EHOSTUNREACH, ETIMEDOUT: "Check this machine's network and its firewall."
        default: "Check the network."
        }
    }
}
