import Dispatch
import Glibc
import PushLocking
import TestSupport
import Testing

@testable import PushTransport

@Suite(.serialized) struct SocketTests {
    private let queue = DispatchQueue(label: "sockets", target: .global(qos: .userInteractive))

    @Test func aListenerOnPortZeroTellsItsPort() throws {
        let listener = try SocketListener(on: Endpoint(host: "127.0.0.1", port: 0))
        #expect(listener.endpoint.port > 0)
        let closed = Awaited<Int>()
        listener.close { closed.set(1) }
        #expect(closed.value() == 1)
        let again = try SocketListener(on: listener.endpoint)
        #expect(again.endpoint == listener.endpoint)
    }

    @Test func aTakenPortIsAnError() throws {
        let listener = try SocketListener(on: Endpoint(host: "127.0.0.1", port: 0))
        let error = #expect(throws: TransportError.self) { try SocketListener(on: listener.endpoint) }
        #expect(error?.code == .system(EADDRINUSE))
        #expect(throws: TransportError.self) { try SocketListener(on: Endpoint(host: "no.literal", port: 0)) }
        #expect(throws: TransportError.self) { try SocketListener(on: Endpoint(host: "127.0.0.1", port: 70_000)) }
    }

    @Test func aRefusedConnectIsAnError() throws {
        let listener = try SocketListener(on: Endpoint(host: "127.0.0.1", port: 0))
        let closed = Awaited<Int>()
        listener.close { closed.set(1) }
        _ = closed.value()
        #expect(connect(listener.endpoint)?.code == .system(ECONNREFUSED))
        #expect(connect(Endpoint(host: "localhost", port: listener.endpoint.port))?.layer == .connect)
        #expect(connect(Endpoint(host: "127.0.0.1", port: 0))?.code == .invalidEndpoint)
        #expect(connect(Endpoint(host: "127.0.0.1", port: 65_536))?.code == .invalidEndpoint)
        #expect(connect(Endpoint(host: "", port: 1))?.code == .invalidEndpoint)
    }

    private func connect(_ endpoint: Endpoint) -> TransportError? {
        let result = Awaited<Result<any ByteChannel, TransportError>>()
        let attempt = SocketConnector().connect(to: endpoint, on: queue) { result.set($0) }
        defer { attempt.cancel() }
        guard case .failure(let error)? = result.value() else { return nil }
        return error
    }

    @Test("parity: F17 – an address that refuses is followed by the next at once, and the loser leaves no descriptor")
    func theSecondAddressIsReachedWhereTheFirstRefuses() async throws {
        let listener = try SocketListener(on: Endpoint(host: "127.0.0.1", port: 0))
        let accepted = Awaited<SocketChannel>()
        listener.accept(on: queue) { accepted.set($0) }
        // Nobody listens on 127.0.0.2 at this port.
        let resolver = Resolver { _ in
            .success(["127.0.0.2", "::1", "127.0.0.1"].compactMap { SocketAddress(literal: $0, port: 0) })
        }
        let before = OpenSockets.names()
        for _ in 0..<20 {
            let result = Awaited<Result<any ByteChannel, TransportError>>()
            _ = SocketConnector(resolver: resolver).connect(
                to: Endpoint(host: "two.example", port: listener.endpoint.port), on: queue
            ) { result.set($0) }
            let channel = try #require(result.value()).get()
            let far = try #require(accepted.value())
            queue.sync {
                channel.close()
                far.close()
            }
        }
        queue.sync {}
        await OpenSockets.waitUntilClosed(openedSince: before)
    }

    @Test("parity: F17 – an address that drops everything holds nobody up for longer than 250 ms")
    func anAddressThatSaysNothingIsOvertaken() throws {
        let (silent, listener) = try Self.silentAndListening()
        let accepted = Awaited<SocketChannel>()
        listener.accept(on: queue) { accepted.set($0) }
        let resolver = Resolver { _ in
            .success([FullListener.host, "127.0.0.1"].compactMap { SocketAddress(literal: $0, port: 0) })
        }
        let result = Awaited<Result<any ByteChannel, TransportError>>()
        let attempt = SocketConnector(resolver: resolver).connect(
            to: Endpoint(host: "two.example", port: silent.port), on: queue
        ) { result.set($0) }
        #expect(accepted.value() != nil)
        let channel = try #require(result.value()).get()
        queue.sync { channel.close() }
        attempt.cancel()
    }

    /// A listener that drops everything, and one that answers at the same port of another address.
    private static func silentAndListening(attempts: Int = 20) throws -> (FullListener, SocketListener) {
        // A backlog of none, and full: the kernel drops what comes then, as a firewall does.
        let silent = try FullListener()
        do { return (silent, try SocketListener(on: Endpoint(host: "127.0.0.1", port: silent.port))) } catch {
            // The port may be taken at the other address.
            guard error.code == .system(EADDRINUSE), attempts > 1 else { throw error }
            return try silentAndListening(attempts: attempts - 1)
        }
    }

    @Test("parity: P11 – a host is resolved again for each connection")
    func eachConnectionAsksTheResolver() throws {
        let listener = try SocketListener(on: Endpoint(host: "127.0.0.1", port: 0))
        let asked = Locked(0)
        let connector = SocketConnector(
            resolver: Resolver { _ in
                asked.withLock { $0 += 1 }
                return .success(["127.0.0.1"].compactMap { SocketAddress(literal: $0, port: 0) })
            })
        for _ in 0..<3 {
            let result = Awaited<Result<any ByteChannel, TransportError>>()
            _ = connector.connect(to: Endpoint(host: "a.example", port: listener.endpoint.port), on: queue) {
                result.set($0)
            }
            try #require(result.value()).get().close()
        }
        #expect(asked.withLock { $0 } == 3)
    }

    @Test(arguments: [true, false])
    func aChannelThatStoppedReadingHearsNothingAndStillCloses(_ isActivatedFirst: Bool) throws {
        let (near, far) = try SocketPair.channels()
        let events = Awaited<ChannelEvent>()
        let other = Awaited<ChannelEvent>()
        queue.sync {
            if !isActivatedFirst { far.stopReading() }
            far.activate(on: queue) { events.set($0) }
            if isActivatedFirst { far.stopReading() }
            far.stopReading()
            near.activate(on: queue) { other.set($0) }
            _ = [1, 2, 3].withUnsafeBytes { near.write($0) }
        }
        queue.sync {
            withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { #expect(far.read(into: $0) == .wouldBlock) }
            _ = [4].withUnsafeBytes { far.write($0) }
        }
        // It still writes.
        #expect(other.value() == .readable)
        queue.sync { far.abort() }
        #expect(events.count == 0)
        queue.sync { near.close() }
    }

    @Test func aCancelledConnectCompletesNever() throws {
        let listener = try SocketListener(on: Endpoint(host: "127.0.0.1", port: 0))
        let result = Awaited<Int>()
        let marks = Awaited<Int>()
        for _ in 0..<50 {
            queue.sync { SocketConnector().connect(to: listener.endpoint, on: queue) { _ in result.set(1) }.cancel() }
        }
        // The cancel handlers of the connecting sources run before this.
        for round in 0..<50 { queue.async { marks.set(round) } }
        for _ in 0..<50 { _ = marks.value() }
        #expect(result.count == 0)
    }

    @Test func aChannelTellsItsPeersEndOfStreamAndReset() throws {
        for isReset in [false, true] {
            let (near, far) = try SocketPair.channels()
            let results = Awaited<ReadResult>()
            near.activate(on: queue) { _ in
                withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { results.set(near.read(into: $0)) }
                near.close()
            }
            if isReset { far.abort() } else { far.close() }
            #expect(results.value() == (isReset ? .failed(ECONNRESET) : .endOfStream))
        }
    }

    /// Dispatch's event loop for Linux does not survive the hang-up of a socket it watches: see `SocketPoll`.
    @Test func dispatchWatchesNoConnectedSocketItself() async throws {
        let before = WatchedSockets.byDispatch()
        let (near, far) = try SocketPair.channels()
        let events = Awaited<ChannelEvent>()
        near.activate(on: queue) { events.set($0) }
        // A refused write, so that both directions are watched; then an event, which says that they are.
        queue.sync {
            let chunk = [UInt8](repeating: 1, count: 256 << 10)
            while case .taken = chunk.withUnsafeBytes({ near.write($0) }) {}
        }
        _ = [1].withUnsafeBytes { far.write($0) }
        #expect(events.value() == .readable)
        let full = try FullListener()
        let attempt = SocketConnector().connect(to: Endpoint(host: FullListener.host, port: full.port), on: queue) {
            _ in
        }
        // The attempt activates its source on the queue. A source of the same kind is registered in turn after it.
        queue.sync {}
        var idle: [Int32] = [-1, -1]
        try #require(pipe(&idle) == 0)
        let registered = DispatchSource.makeReadSource(fileDescriptor: idle[0], queue: queue)
        registered.setCancelHandler { [idle] in for end in idle { close(end) } }
        registered.setRegistrationHandler { events.set(.writable) }
        registered.activate()
        while events.value() == .readable {}
        // Dispatch watches sockets of other tests, which end. The two of this one stay until they are closed below.
        let watched = WatchedSockets.byDispatch().subtracting(before)
        await until { WatchedSockets.byDispatch().isDisjoint(with: watched) }
        attempt.cancel()
        registered.cancel()
        queue.sync { near.close() }
        far.close()
    }

    @Test func manyResetsAtOnceEndTheirChannelsAndNothingElse() throws {
        let queues = (0..<16).map { DispatchQueue(label: "reset \($0)") }
        for _ in 0..<50 {
            let pairs = try (0..<queues.count).map { _ in try SocketPair.channels() }
            let ended = Awaited<Int>()
            for (index, (near, _)) in pairs.enumerated() {
                near.activate(on: queues[index]) { _ in
                    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { _ = near.read(into: $0) }
                    near.close()
                    ended.set(index)
                }
            }
            for (_, far) in pairs { far.abort() }
            let indices = pairs.compactMap { _ in ended.value() }
            #expect(indices.sorted() == Array(queues.indices))
        }
    }

    @Test func aRefusedWriteIsFollowedByOneWritable() throws {
        let (near, far) = try SocketPair.channels()
        let events = Awaited<ChannelEvent>()
        near.activate(on: queue) { events.set($0) }
        let written = queue.sync { () -> Int in
            var total = 0
            let chunk = [UInt8](repeating: 1, count: 256 << 10)
            while true {
                guard case .taken(let count) = chunk.withUnsafeBytes({ near.write($0) }) else { return total }
                total += count
            }
        }
        let read = Locked(0)
        let finished = Awaited<Int>()
        far.activate(on: queue) { _ in
            withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 1) { buffer in
                guard case .bytes(let count) = far.read(into: buffer) else { return }
                if read.withLock({
                    $0 += count; return $0
                }) == written {
                    finished.set(1)
                }
            }
        }
        #expect(events.value() == .writable)
        #expect(finished.value() == 1)
        #expect(queue.sync { events.count } == 0)
        queue.sync {
            near.close()
            far.close()
        }
    }

    @Test func twoHundredConnectsLeaveNoDescriptorBehind() async throws {
        let contexts = try SocketPair.engineContexts()
        let listener = try SocketListener(on: Endpoint(host: "127.0.0.1", port: 0))
        let accepted = Awaited<SocketChannel>()
        listener.accept(on: queue) { accepted.set($0) }
        let connector = SocketConnector()
        let before = OpenSockets.names()
        for round in 0..<200 {
            let result = Awaited<Result<any ByteChannel, TransportError>>()
            _ = connector.connect(to: listener.endpoint, on: queue) { result.set($0) }
            let near = try #require(result.value()).get()
            let far = try #require(accepted.value())
            guard round % 4 == 0 else {
                // Some are closed, some aborted, some only released, some before they were activated.
                if round % 4 == 1 { near.abort() }
                if round % 4 == 2 { far.close() }
                continue
            }
            let server = Peer(far, try TLSEngine(server: contexts.server)).start()
            let client = Peer(near, try TLSEngine(client: contexts.client, serverName: "127.0.0.1")).start()
            client.waitFor(.established)
            client.queue.sync { client.transport.close() }
            #expect(server.waitForError() == nil)
            client.queue.sync {}
            server.queue.sync {}
        }
        await OpenSockets.waitUntilClosed(openedSince: before)
    }
}
