import CPushSystem
import Dispatch
import Glibc
import PushLocking

/// A listening TCP socket that returns accepted channels.
///
/// If descriptors or memory run out, it pauses for 100 ms and leaves the connections in the kernel's backlog, because a
/// source that stays readable would spin. A listener that is released without `close` closes itself.
package final class SocketListener: Sendable {
    private struct State {
        var source: (any DispatchSourceRead)?
        var isResting = false
        var isClosed = false
        var onClosed: (@Sendable () -> Void)?
    }

    private let descriptor: Int32
    private let state = Locked(State())
    /// The address it listens on, with the assigned port.
    package let endpoint: Endpoint

    /// Binds and listens. Connections wait in the backlog until `accept`.
    ///
    /// - Parameter endpoint: An IP literal or `localhost` (127.0.0.1). Port 0 chooses a free port.
    package init(on endpoint: Endpoint) throws(TransportError) {
        let host = endpoint.host == "localhost" ? "127.0.0.1" : endpoint.host
        guard let address = SocketAddress(literal: host, port: endpoint.port) else {
            throw TransportError(
                layer: .socket, code: .invalidEndpoint,
                sentence: "Cannot listen on \(endpoint): give an IP address or localhost, and a port from 0 to 65535.")
        }
        let descriptor: Int32
        switch Socket.make(family: address.family) {
        case .success(let made): descriptor = made
        case .failure(let error): throw Self.failure(endpoint, number: error.number)
        }
        Socket.set(descriptor, level: SOL_SOCKET, option: SO_REUSEADDR, to: 1)
        guard address.withSockaddr({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, SOMAXCONN) == 0 else {
            let number = errno
            _ = Glibc.close(descriptor)
            throw Self.failure(endpoint, number: number)
        }
        self.endpoint = Endpoint(host: host, port: Socket.localAddress(descriptor)?.port ?? endpoint.port)
        self.descriptor = descriptor
    }

    /// Takes ownership of a listening, non-blocking descriptor.
    init(listening descriptor: Int32, endpoint: Endpoint) {
        self.descriptor = descriptor
        self.endpoint = endpoint
    }

    deinit { close() }

    /// Starts accepting. `onAccept` receives each channel on `queue`, not yet activated. Called once.
    package func accept(on queue: DispatchQueue, onAccept: @escaping @Sendable (SocketChannel) -> Void) {
        state.withLock { state in
            guard !state.isClosed, state.source == nil else { return }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler { [weak self] in self?.acceptAll(on: queue, onAccept: onAccept) }
            // Before that, a number that is closed may be reused for an unrelated file, which the source would watch.
            source.setCancelHandler { [descriptor, state = self.state] in
                _ = Glibc.close(descriptor)
                state.withLock { $0.onClosed }?()
            }
            state.source = source
            source.activate()
        }
    }

    /// Stops listening. The port is free when `onClosed` is called. May be called from any thread; a second call does
    /// nothing.
    package func close(_ onClosed: @escaping @Sendable () -> Void = {}) {
        let isUnwatched = state.withLock { state -> Bool in
            guard !state.isClosed else { return false }
            state.isClosed = true
            guard let source = state.source else { return true }
            state.onClosed = onClosed
            source.cancel()
            if state.isResting { source.resume() }
            state.source = nil
            return false
        }
        guard isUnwatched else { return }
        _ = Glibc.close(descriptor)
        onClosed()
    }

    private func acceptAll(on queue: DispatchQueue, onAccept: @Sendable (SocketChannel) -> Void) {
        // Bounded, so that a flood of connections does not occupy the queue. The source fires again.
        for _ in 0..<256 {
            guard !state.withLock({ $0.isClosed }) else { return }
            let accepted = cpush_accept(descriptor)
            if accepted >= 0 {
                Socket.setNoDelay(accepted)
                onAccept(SocketChannel(descriptor: accepted))
                continue
            }
            switch errno {
            case EAGAIN: return
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return rest(on: queue)
            default: continue  // this connection failed before it was accepted: accept(2), "Error handling"
            }
        }
    }

    private func rest(on queue: DispatchQueue) {
        state.withLock { state in
            guard !state.isClosed, !state.isResting else { return }
            state.isResting = true
            state.source?.suspend()
        }
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
            self?.state.withLock { state in
                guard !state.isClosed, state.isResting else { return }
                state.isResting = false
                state.source?.resume()
            }
        }
    }

    private static func failure(_ endpoint: Endpoint, number: Int32) -> TransportError {
        TransportError(
            layer: .socket, code: .system(number),
            sentence: "Cannot listen on \(endpoint): \(errnoText(number)). Choose another address or port.")
    }
}
