import CPushOpenSSL
import Dispatch
import Testing

@testable import PushTransport

/// A server whose session ticket is longer than its records, so that one of them brings a part of it: OpenSSL encrypts nothing before it
/// has the rest.
@Suite struct FragmentedTicketTests {
    private struct Stage {
        let client: Peer
        let server: ForeignTLS
        let clientEnd: MemoryChannel
        /// The records of a ticket that the server has made and not written.
        let records: [[UInt8]]
    }

    /// The shortest fragment that OpenSSL makes.
    private static let fragment = 512

    private func stage() throws -> Stage {
        let (near, far) = MemoryChannel.pair(capacity: 64 << 20)
        // The ticket holds the client's certificate, which is long.
        let topics = [UInt8](repeating: 0x2E, count: 1_500)
        let identity = try TestPKI.provider(uid: "com.example.app", topics: [4, 0x82, 5, 0xDC] + topics).identity()
        let context = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM), identity: identity)
        let server = try ForeignTLS(far)
        let client = Peer(near, try TLSEngine(client: context, serverName: "push.example")).start()
        client.partner = server
        client.waitFor(.established)
        server.waitUntilEstablished()
        let bytes = server.make { ssl in
            SSL_ctrl(ssl, 52, Self.fragment, nil)  // SSL_CTRL_SET_MAX_SEND_FRAGMENT, behind a macro
            SSL_new_session_ticket(ssl)
            SSL_do_handshake(ssl)
        }
        return Stage(client: client, server: server, clientEnd: near, records: Self.records(in: bytes))
    }

    private static func records(in bytes: [UInt8]) -> [[UInt8]] {
        var records: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count >= 5 {
            let start = rest.startIndex
            let length = 5 + Int(rest[start + 3]) << 8 + Int(rest[start + 4])
            records.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return records
    }

    private func receive(_ records: some Sequence<[UInt8]>, _ stage: Stage) {
        for record in records { stage.server.writeRaw(record) }
        // What has arrived is read now.
        stage.client.queue.sync { stage.client.transport.readArrived() }
    }

    @Test func whatIsWrittenMeanwhileWaitsAndGoesOutBehindIt() throws {
        let stage = try stage()
        try #require(stage.records.count > 1)
        receive(stage.records.prefix(1), stage)
        let long = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }
        stage.client.send([1, 2, 3])
        stage.client.send(long)
        stage.client.queue.sync {
            #expect(stage.client.error == nil)
            #expect(stage.client.transport.unwritten == 40_003)
            #expect(stage.client.transport.room == 256 << 10 - 40_003)
        }
        receive(stage.records.dropFirst(), stage)
        #expect(stage.client.queue.sync { stage.client.transport.unwritten } == 0)
        let end = DispatchTime.now() + .seconds(120)
        while stage.server.received.count < 40_003, DispatchTime.now() < end { sched_yield() }
        #expect(stage.server.received == [1, 2, 3] + long)
        // And so does what comes later, both ways.
        stage.server.write([7])
        stage.client.wait("the server's byte", until: { $0.received == [7] })
    }

    @Test func ofALostLinkItWasNotSent() throws {
        let stage = try stage()
        stage.client.send([UInt8](repeating: 1, count: 100))
        receive(stage.records.prefix(1), stage)
        stage.client.send([UInt8](repeating: 2, count: 100))
        stage.clientEnd.reset()
        stage.client.waitFor(.closed)
        stage.client.queue.sync {
            #expect(stage.client.transport.fate(firstByte: 0, end: 100) == .written)
            #expect(stage.client.transport.fate(firstByte: 100, end: 200) == .notSent)
            #expect(stage.client.transport.fate(firstByte: 50, end: 150) == .unprocessed)
        }
    }

    @Test func roomThatGrowsWithItIsTold() throws {
        let stage = try stage()
        receive(stage.records.prefix(1), stage)
        stage.client.send([UInt8](repeating: 1, count: 256 << 10))
        #expect(stage.client.queue.sync { stage.client.transport.room } == 0)
        receive(stage.records.dropFirst(), stage)
        stage.client.waitFor(.hasRoom)
    }
}
