import Dispatch
import Glibc
import Testing

@testable import PushTransport

@Suite struct MemoryNetworkTests {
    private let queue = DispatchQueue(label: "memory")
    private let endpoint = Endpoint(host: "push.example", port: 443)

    @Test func aListenerGetsTheFarEnd() throws {
        let network = MemoryNetwork()
        let accepted = Awaited<MemoryChannel>()
        network.listen(on: endpoint) { accepted.set($0) }
        let connected = Awaited<Result<any ByteChannel, TransportError>>()
        _ = network.connector.connect(to: endpoint, on: queue) { connected.set($0) }
        let near = try #require(connected.value()).get()
        let far = try #require(accepted.value())
        #expect(write(near, [1, 2]) == .taken(2))
        #expect(read(far) == [1, 2])
    }

    @Test func nobodyListeningIsARefusal() {
        let network = MemoryNetwork()
        let connected = Awaited<TransportError.Code?>()
        _ = network.connect(to: endpoint, on: queue) {
            if case .failure(let error) = $0 { connected.set(error.code) } else { connected.set(nil) }
        }
        #expect(connected.value() == .system(ECONNREFUSED))
        queue.sync { network.connect(to: endpoint, on: queue) { _ in connected.set(nil) }.cancel() }
        queue.sync {}
        #expect(connected.count == 0)
    }

    @Test func theKernelTakesWhatItHasRoomForAndSaysWhenAgain() {
        let (near, far) = MemoryChannel.pair(capacity: 4)
        let events = Awaited<ChannelEvent>()
        near.activate(on: queue) { events.set($0) }
        #expect(write(near, [1, 2, 3, 4, 5]) == .taken(4))
        #expect(write(near, [5]) == .wouldBlock)
        #expect(read(far) == [1, 2, 3, 4])
        #expect(events.value() == .writable)
        near.accept(exactly: 1)
        #expect(write(near, [5, 6]) == .taken(1))
        #expect(write(near, [6]) == .wouldBlock)
        #expect(near.bytesTaken == 5 && near.bytesInFlight == 1)
    }

    @Test func closingKeepsWhatIsOnItsWayAndAResetDoesNot() {
        let (near, far) = MemoryChannel.pair()
        #expect(write(near, [1]) == .taken(1))
        near.close()
        #expect(read(far) == [1])
        #expect(result(far) == .endOfStream)
        #expect(write(far, [1]) == .failed(EPIPE))
        let (left, right) = MemoryChannel.pair()
        #expect(write(left, [1]) == .taken(1))
        left.reset()
        #expect(result(right) == .failed(ECONNRESET))
        #expect(write(left, [1]) == .failed(ECONNRESET))
    }

    @Test func aByteQueueKeepsOrderAndGivesItsMemoryBack() {
        var bytes = ByteQueue()
        var next: UInt8 = 0
        var expected: UInt8 = 0
        for round in 0..<2_000 {
            let chunk = (0..<(round * 31 % 97)).map { _ in
                defer { next &+= 1 }
                return next
            }
            chunk.withUnsafeBytes { bytes.append($0) }
            for byte in bytes.bytes.prefix(round * 17 % 101) {
                #expect(byte == expected)
                expected &+= 1
            }
            bytes.consume(min(bytes.count, round * 17 % 101))
        }
        bytes.consume(bytes.count)
        #expect(bytes.isEmpty && bytes.bytes.baseAddress == nil)
    }

    private func write(_ channel: any ByteChannel, _ bytes: [UInt8]) -> WriteResult {
        bytes.withUnsafeBytes { channel.write($0) }
    }

    private func result(_ channel: any ByteChannel) -> ReadResult {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { channel.read(into: $0) }
    }

    private func read(_ channel: any ByteChannel) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
            guard case .bytes(let count) = channel.read(into: buffer) else { return [] }
            return Array(buffer.prefix(count))
        }
    }
}
