import Dispatch
import Glibc
import PushLocking

/// Connects over TCP: looks the name up each time, then races the addresses (RFC 8305).
package final class SocketConnector: Connector {
    private let resolver: Resolver

    package init(resolver: Resolver = Resolver()) { self.resolver = resolver }

    package func connect(
        to endpoint: Endpoint, on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable {
        let attempt = ConnectAttempt(to: endpoint, on: queue, completion: completion)
        attempt.start(resolver)
        return attempt
    }
}

/// One connect: a lookup, then the race of the host's addresses. The interpreter of an `AddressRace`.
///
/// The lookup's completion and the handlers of its sources keep it alive until it ends or is cancelled.
final class ConnectAttempt: Cancellable {
    typealias Completion = @Sendable (Result<any ByteChannel, TransportError>) -> Void

    private struct State {
        var completion: Completion?
        var lookup: (any Cancellable)?
        var race = AddressRace([])
        /// The sources for the addresses being tried, by index.
        var sources: [Int: any DispatchSourceRead] = [:]
        var timer: (any DispatchSourceTimer)?
    }

    private let endpoint: Endpoint
    private let queue: DispatchQueue
    private let began = DispatchTime.now()
    private let state: Locked<State>

    init(to endpoint: Endpoint, on queue: DispatchQueue, completion: @escaping Completion) {
        self.endpoint = endpoint
        self.queue = queue
        state = Locked(State(completion: completion))
    }

    func start(_ resolver: Resolver) {
        guard (1...65_535).contains(endpoint.port), !endpoint.host.isEmpty, !endpoint.host.utf8.contains(0) else {
            let sentence = "\(endpoint) is not a valid endpoint: give a host and a port from 1 to 65535."
            let error = TransportError(layer: .resolve, code: .invalidEndpoint, sentence: sentence)
            return queue.async { self.finish(.failure(error)) }
        }
        let lookup = resolver.resolve(endpoint.host, on: queue) { answer in
            switch answer {
            case .success(let addresses): self.race(addresses)
            case .failure(let error): self.finish(.failure(error))
            }
        }
        let isOver = state.withLock { state in
            state.lookup = lookup
            return state.completion == nil
        }
        if isOver { lookup.cancel() }
    }

    func cancel() { _ = end() }

    /// Removes and returns the completion, and stops everything in progress.
    private func end() -> Completion? {
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        ended.lookup?.cancel()
        ended.timer?.cancel()
        for source in ended.sources.values { source.cancel() }
        return ended.completion
    }

    private func finish(_ result: Result<any ByteChannel, TransportError>) {
        if let completion = end() { return completion(result) }
        if case .success(let channel) = result { channel.close() }
    }

    // MARK: The race

    private func race(_ resolved: [SocketAddress]) {
        state.withLock { $0.race = AddressRace(resolved) }
        feed(.start)
    }

    @discardableResult
    private func feed(_ event: AddressRace.Event) -> [AddressRace.Action] {
        let now = Duration.nanoseconds(DispatchTime.now().uptimeNanoseconds - began.uptimeNanoseconds)
        let actions = state.withLock { state in state.completion == nil ? [] : state.race.handle(event, now) }
        for action in actions { perform(action, now) }
        return actions
    }

    private func perform(_ action: AddressRace.Action, _ now: Duration) {
        switch action {
        case .connect(let index): connect(index)
        case .close(let index): state.withLock { $0.sources.removeValue(forKey: index) }?.cancel()
        case .wake(let instant): wake(after: instant - now)
        case .won: break  // the handler that reported the connection has its descriptor
        case .lost: finish(.failure(failure()))
        }
    }

    private func wake(after pause: Duration) {
        let timer = state.withLock { state -> (any DispatchSourceTimer)? in
            guard state.completion != nil else { return nil }
            if let timer = state.timer { return timer }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { [weak self] in self?.feed(.tick) }
            timer.schedule(deadline: .distantFuture)
            // Activated here: another thread may cancel, and to release a source before its activation traps.
            timer.activate()
            state.timer = timer
            return timer
        }
        guard let timer else { return }
        let (seconds, attoseconds) = pause.components
        timer.schedule(deadline: .now() + .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)))
    }

    private func connect(_ index: Int) {
        var address = state.withLock { $0.completion == nil ? nil : $0.race.addresses[index] }
        address?.port = endpoint.port
        guard let address else { return }
        switch Socket.make(family: address.family) {
        case .failure(let error): feed(.failed(index, error.number))
        case .success(let descriptor):
            let code = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
            let number = code == 0 ? 0 : errno
            if number == 0 { return connected(index, descriptor: descriptor) }
            if number == EINPROGRESS || number == EINTR { return observe(index, descriptor: descriptor) }
            _ = Glibc.close(descriptor)
            feed(.failed(index, number))
        }
    }

    /// Waits until the descriptor is writable: then the connect has succeeded or failed. The source's cancel handler
    /// passes the descriptor to a channel or closes it.
    private func observe(_ index: Int, descriptor: Int32) {
        let poll: SocketPoll
        switch SocketPoll.watching(descriptor, for: .writable) {
        case .success(let made): poll = made
        case .failure(let error):
            _ = Glibc.close(descriptor)
            return _ = feed(.failed(index, error.number))
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: poll.descriptor, queue: queue)
        let outcome = Locked<Int32?>(nil)
        source.setEventHandler { [weak self] in
            let number = Socket.pendingError(descriptor)
            outcome.withLock { $0 = number }
            self?.state.withLock { $0.sources.removeValue(forKey: index) }?.cancel()
        }
        source.setCancelHandler {
            _ = Glibc.close(poll.descriptor)
            switch outcome.withLock({ $0 }) {
            case 0?: return self.connected(index, descriptor: descriptor)
            case let number?:
                _ = Glibc.close(descriptor)
                self.feed(.failed(index, number))
            case nil: _ = Glibc.close(descriptor)
            }
        }
        let isCancelled = state.withLock { state in
            guard state.completion != nil else { return true }
            state.sources[index] = source
            return false
        }
        source.activate()
        if isCancelled { source.cancel() }
    }

    private func connected(_ index: Int, descriptor: Int32) {
        // Another address may have won, or the connect was cancelled.
        guard feed(.connected(index)).contains(.won(index)) else { return _ = Glibc.close(descriptor) }
        finish(.success(SocketChannel(descriptor: descriptor)))
    }

    private func failure() -> TransportError {
        ConnectFailure(endpoint, after: state.withLock { $0.race }).error
    }
}

/// Describes a race that no address has won.
struct ConnectFailure {
    /// How many addresses the sentence lists.
    static let mostNamed = 4

    private let endpoint: Endpoint
    private let failures: [(address: SocketAddress, number: Int32)]

    init(_ endpoint: Endpoint, after race: AddressRace) {
        self.endpoint = endpoint
        failures = race.failures.sorted { $0.index < $1.index }.map { (race.addresses[$0.index], $0.number) }
    }

    var error: TransportError {
        // Use the failure of the preferred address: other families may have no route at all.
        let number = failures.first?.number ?? EHOSTUNREACH
        return TransportError(
            layer: .connect, code: .system(number),
            sentence: "No connection to \(endpoint): \(causes). \(Self.advice(number))")
    }

    private var causes: String {
        if failures.count == 1, failures[0].address.description == endpoint.host {
            return errnoText(failures[0].number)
        }
        let named = failures.prefix(Self.mostNamed).map { "\($0.address): \(errnoText($0.number))" }
        let more = failures.count - named.count
        return named.joined(separator: ", ") + (more > 0 ? ", and \(more) more" : "")
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
