import CPushOpenSSL
import Dispatch
import PushTransport
import Testing

/// A server that bends TLS: nothing grows without bound, and what ends the link says so.
@Suite struct HostileTLSTests {
    /// A client and a server of plain OpenSSL; the "kernel" holds much.
    private func pair(
        onlyTLS12: Bool = false, identity: Identity? = nil
    ) throws -> (client: Peer, server: ForeignTLS, clientEnd: MemoryChannel) {
        let (near, far) = MemoryChannel.pair(capacity: 64 << 20)
        let context = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM))
        let server = try ForeignTLS(far, identity: identity, onlyTLS12: onlyTLS12)
        let client = Peer(near, try TLSEngine(client: context, serverName: "push.example"))
        client.partner = server
        return (client.start(), server, near)
    }

    private func established(
        onlyTLS12: Bool = false
    ) throws -> (client: Peer, server: ForeignTLS, clientEnd: MemoryChannel) {
        let made = try pair(onlyTLS12: onlyTLS12)
        made.client.waitFor(.established)
        made.server.waitUntilEstablished()
        return made
    }

    @Test func ticketsWithoutEndChangeNothing() throws {
        let (client, server, _) = try established()
        for _ in 0..<2_000 {
            server.use { ssl in
                SSL_new_session_ticket(ssl)
                SSL_do_handshake(ssl)
            }
        }
        server.write([1, 2, 3])
        client.wait("the bytes behind them", until: { $0.received == [1, 2, 3] })
    }

    @Test func aKeyUpdateIsFollowed() throws {
        let (client, server, _) = try established()
        for number in 1...20 as ClosedRange<UInt8> {
            server.use { ssl in
                SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
                SSL_do_handshake(ssl)
            }
            server.write([number])
        }
        client.wait("all bytes", until: { $0.received == Array(1...20) })
        client.send([1])
        #expect(client.queue.sync { client.transport.unwritten } == 0)
    }

    /// Each asks for an answer, and the peer reads none of them.
    @Test func keyUpdatesWhoseAnswersNobodyReadsEndTheLink() throws {
        let (client, server, clientEnd) = try established()
        clientEnd.accept(exactly: 0)
        for _ in 0..<40 {
            server.use { ssl in
                for _ in 0..<1_000 {
                    SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
                    SSL_do_handshake(ssl)
                    SSL_write(ssl, [1], 1)
                }
            }
        }
        let error = client.waitForError()
        #expect(error?.layer == .tls && error?.code == .flooded, "\(error?.sentence ?? "no error")")
    }

    /// RFC 9113 section 9.2.1 forbids it. OpenSSL's server gives up with an alert when it is refused.
    @Test func renegotiationIsRefused() throws {
        let (client, server, _) = try established(onlyTLS12: true)
        server.use { ssl in
            SSL_renegotiate(ssl)
            SSL_do_handshake(ssl)
        }
        let error = client.waitForError()
        #expect(error?.layer == .tls, "\(error?.sentence ?? "no error")")
        #expect(client.queue.sync { client.events.last } == .closed)
    }

    @Test func aGiantChainIsAnErrorOfTheHandshake() throws {
        let extra = Array(repeatElement(TestPKI.otherRoot.certificatePEM, count: 400).joined())
        let identity = try Identity(pem: TestPKI.server.certificatePEM + TestPKI.server.keyPEM + extra)
        let (client, _, _) = try pair(identity: identity)
        let error = client.waitForError()
        #expect(error?.layer == .tls && error?.code == .protocolViolation, "\(error?.sentence ?? "no error")")
        #expect(client.queue.sync { client.events } == [.closed])
    }

    @Test func whatFollowsCloseNotifyIsNotRead() throws {
        let (client, server, clientEnd) = try established()
        clientEnd.hold()
        server.write([1, 2])
        server.use { SSL_shutdown($0) }
        server.writeRaw(Array(repeating: 0x17, count: 5_000))
        clientEnd.hold(isHeld: false)
        #expect(client.waitForError() == nil)
        #expect(client.queue.sync { client.received } == [1, 2])
    }

    @Test(
        arguments: [[0x17, 3, 3, 0xff, 0xff], [0x99, 3, 3, 0, 1, 0], [0x15, 3, 3, 0, 0], [0x17, 3, 3, 0, 0]]
            as [[UInt8]])
    func recordsThatAreNoneEndTheLink(header: [UInt8]) throws {
        let (client, server, _) = try established()
        server.write([5])
        server.writeRaw(header + Array(repeating: 0, count: 100))
        #expect(client.waitForError()?.layer == .tls)
        #expect(client.queue.sync { client.received } == [5])
    }

    @Test func aFloodOfBytesLeavesOthersOnTheQueueTheirTurn() throws {
        let (client, server, clientEnd) = try established()
        clientEnd.hold()
        let total = 8 << 20
        for _ in 0..<total / 16_000 { server.write([UInt8](repeating: 1, count: 16_000)) }
        let seen = Awaited<Int>()
        client.queue.sync {
            clientEnd.hold(isHeld: false)
            client.onEvent = { peer, event in
                guard event == .drained, seen.count == 0 else { return }
                peer.queue.async { seen.set(peer.received.count) }
            }
        }
        let count = try #require(seen.value())
        #expect(count > 0 && count <= 3 << 20)
        client.wait("all", until: { $0.received.count == total / 16_000 * 16_000 })
    }
}
