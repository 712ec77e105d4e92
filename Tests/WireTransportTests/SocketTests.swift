import Dispatch
import Glibc
import Locking
import Testing

@testable import WireTransport

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

    @Test func twoHundredConnectsLeaveNoDescriptorBehind() throws {
        let contexts = try SocketPair.engineContexts()
        let listener = try SocketListener(on: Endpoint(host: "127.0.0.1", port: 0))
        let accepted = Awaited<SocketChannel>()
        listener.accept(on: queue) { accepted.set($0) }
        let connector = SocketConnector()
        let inodesBefore = Set(openSockets())
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
        #expect(Set(openSockets()).subtracting(inodesBefore).count < 10, "others' tests open a few")
    }

    /// What `/proc/self/fd` calls this process's sockets.
    private func openSockets() -> [String] {
        guard let directory = opendir("/proc/self/fd") else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var target = [CChar](repeating: 0, count: 256)
            let count = readlink("/proc/self/fd/\(name)", &target, 255)
            let text = String(decoding: target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("socket:") { names.append(text) }
        }
        return names
    }
}
