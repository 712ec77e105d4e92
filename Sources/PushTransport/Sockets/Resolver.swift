import Dispatch
import Glibc
import PushLocking

/// Resolves names to addresses without blocking a process.
///
/// `getaddrinfo` blocks, so it runs on threads of its own, which end when nothing waits. A caller that asks for a host
/// whose lookup is running joins that lookup. Addresses are not cached, so every connection sees current DNS. IP
/// literals and `localhost` need no thread.
///
/// ``LookupLine`` decides which lookup gets a thread and when another thread starts. Names whose name server does not
/// answer delay others by at most a second, as long as there are fewer than sixteen of them.
package final class Resolver: Sendable {
    typealias Answer = Result<[SocketAddress], TransportError>
    typealias Lookup = @Sendable (String) -> Answer
    /// Runs a block after a delay.
    typealias Later = @Sendable (_ delay: DispatchTimeInterval, _ block: @escaping @Sendable () -> Void) -> Void

    static let waitingLimit = 10_000
    /// The time after which a lookup no longer keeps another from starting.
    static let patience = DispatchTimeInterval.seconds(1)

    private struct State {
        var callers: [String: [Caller]] = [:]
        var line = LookupLine()
        var waiting = 0
        var threads = 0
    }

    private let state = Locked(State())
    private let lookup: Lookup
    private let later: Later

    package convenience init() { self.init(lookup: SystemLookup.addresses) }

    /// - Parameters:
    ///   - lookup: Runs on a thread; may block as long as it needs.
    ///   - later: Schedules a block.
    init(
        lookup: @escaping Lookup,
        // Not the default queue, which callers may block.
        later: @escaping Later = {
            DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + $0, execute: $1)
        }
    ) {
        self.lookup = lookup
        self.later = later
    }

    /// How many threads exist at this moment; 0…16.
    var threads: Int { state.withLock { $0.threads } }

    /// Delivers the addresses of `host`, at least one, on `queue`; never after `cancel()` there.
    func resolve(
        _ host: String, on queue: DispatchQueue, completion: @escaping @Sendable (Answer) -> Void
    ) -> any Cancellable {
        let caller = Caller(queue: queue, completion: completion)
        if let addresses = Self.immediate(host) {
            caller.deliver(.success(addresses))
            return caller
        }
        let refusal = state.withLock { state -> TransportError? in
            guard state.waiting < Self.waitingLimit else { return Self.tooMany(host) }
            state.waiting += 1
            if state.callers[host] != nil {
                state.callers[host]?.append(caller)
                return nil
            }
            state.callers[host] = [caller]
            state.line.join(host)
            addThread(&state)
            guard state.threads == 0 else { return nil }
            state.callers = [:]
            state.line.removeWaiting()
            state.waiting = 0
            return Self.noThread(host)
        }
        if let refusal { caller.deliver(.failure(refusal)) }
        return caller
    }

    /// Delivers the addresses of `host` as IP literals, in the resolver's order; otherwise like `resolve`.
    package func literals(
        of host: String, on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<[String], TransportError>) -> Void
    ) -> any Cancellable {
        resolve(host, on: queue) { completion($0.map { $0.map(\.description) }) }
    }

    /// RFC 6761, section 6.3: `localhost` is the loopback interface, whatever the files of a container say.
    private static func immediate(_ host: String) -> [SocketAddress]? {
        if host == "localhost" { return ["127.0.0.1", "::1"].compactMap { SocketAddress(literal: $0, port: 0) } }
        return SocketAddress(literal: host, port: 0).map { [$0] }
    }

    /// Starts a thread if a lookup may begin and no thread is free for it.
    private func addThread(_ state: inout State) {
        // A thread without a lookup is about to take one.
        guard state.threads < LookupLine.limit, state.threads == state.line.running, state.line.mayBegin else { return }
        if startThread() { state.threads += 1 }
    }

    private func startThread() -> Bool {
        withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
            guard let attributes = buffer.baseAddress, pthread_attr_init(attributes) == 0 else { return false }
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setstacksize(attributes, 512 << 10)
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            var thread = pthread_t()
            let reference = Unmanaged.passRetained(self)
            let code = pthread_create(&thread, attributes, resolverThread, reference.toOpaque())
            if code != 0 { reference.release() }
            return code == 0
        }
    }

    fileprivate func run() {
        while let (host, ticket) = nextHost() {
            later(Self.patience) { [weak self] in self?.isSlow(ticket) }
            let answer = lookup(host)
            let callers = state.withLock { state -> [Caller] in
                state.line.ended(ticket)
                let callers = state.callers.removeValue(forKey: host) ?? []
                state.waiting -= callers.count
                return callers
            }
            for caller in callers { caller.deliver(answer) }
        }
    }

    /// Nil ends the thread.
    private func nextHost() -> (String, LookupLine.Ticket)? {
        state.withLock { state in
            while let (host, ticket) = state.line.begin() {
                if state.callers[host]?.allSatisfy(\.isCancelled) != true {
                    // There may be room for another lookup.
                    addThread(&state)
                    return (host, ticket)
                }
                state.line.dropped(ticket)
                state.waiting -= state.callers.removeValue(forKey: host)?.count ?? 0
            }
            state.threads -= 1
            return nil
        }
    }

    private func isSlow(_ ticket: LookupLine.Ticket) {
        state.withLock { state in
            state.line.isSlow(ticket)
            addThread(&state)
        }
    }

    private static func tooMany(_ host: String) -> TransportError {
        TransportError(
            layer: .resolve, code: .resolverFailed,
            sentence: "\(host) was not looked up: \(waitingLimit) lookups are already waiting. Check the name servers.")
    }

    private static func noThread(_ host: String) -> TransportError {
        TransportError(
            layer: .resolve, code: .resolverFailed,
            sentence: "\(host) was not looked up: no thread could be started. Raise the thread limit.")
    }
}

/// A caller that waits for an answer.
private final class Caller: Cancellable {
    private let queue: DispatchQueue
    private let completion: Locked<(@Sendable (Resolver.Answer) -> Void)?>

    init(queue: DispatchQueue, completion: @escaping @Sendable (Resolver.Answer) -> Void) {
        self.queue = queue
        self.completion = Locked(completion)
    }

    var isCancelled: Bool { completion.withLock { $0 == nil } }

    func cancel() { completion.withLock { $0 = nil } }

    func deliver(_ answer: Resolver.Answer) {
        queue.async {
            let completion = self.completion.withLock { completion in
                defer { completion = nil }
                return completion
            }
            completion?(answer)
        }
    }
}

private func resolverThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<Resolver>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}

/// One blocking `getaddrinfo`.
enum SystemLookup {
    /// EAI_NODATA: the name exists but has no address. A GNU extension that Swift's C library module omits.
    private static let noData: Int32 = -5

    static func addresses(of host: String) -> Resolver.Answer {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        // No AI_ADDRCONFIG: it ignores loopback, so names would fail in a container that has nothing else. An address
        // of a family without a route costs one failed connect, and is sorted to the end (RFC 6724, rule 1).
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { return .failure(failure(host, code: code, number: errno)) }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = list
        while let current = entry?.pointee, addresses.count < 64 {
            if let address = current.ai_addr, let copy = SocketAddress(copying: address, length: current.ai_addrlen) {
                addresses.append(copy)
            }
            entry = current.ai_next
        }
        return addresses.isEmpty ? .failure(failure(host, code: EAI_NONAME, number: 0)) : .success(addresses)
    }

    private static func failure(_ host: String, code: Int32, number: Int32) -> TransportError {
        let text = code == EAI_SYSTEM ? errnoText(number) : gai_strerror(code).map { String(cString: $0) } ?? "\(code)"
        switch code {
        case EAI_NONAME, noData:
            return TransportError(
                layer: .resolve, code: .unknownHost,
                sentence: "\(host) has no address: \(text). Check its spelling and this machine's name servers.")
        default:
            return TransportError(
                layer: .resolve, code: .resolverFailed,
                sentence: "\(host) could not be looked up: \(text). Check this machine's name servers.")
        }
    }
}
