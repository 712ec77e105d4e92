import Dispatch
import Glibc
import PushTransport
import Testing

@Suite struct TLSTransportTests {
    /// Writes `total` bytes of a pattern as room allows and checks the same number arriving. The pattern's period is
    /// no multiple of any buffer's size, so that a loss, a repetition or a swap shows.
    private final class Flow {
        private static let period = 65_521
        private static let pattern = (0..<2 * period).map { UInt8(truncatingIfNeeded: ($0 % period &* 0x9E37) >> 7) }

        private let total: Int
        private var sent = 0
        private(set) var checked = 0
        private(set) var isIntact = true

        init(_ peer: Peer, total: Int) {
            self.total = total
            peer.onPlaintext = { [unowned self] bytes in check(bytes) }
            peer.onEvent = { [unowned self] peer, event in
                if event == .hasRoom { fill(peer.transport) }
            }
        }

        private func check(_ bytes: UnsafeRawBufferPointer) {
            Self.pattern.withUnsafeBytes { pattern in
                guard let received = bytes.baseAddress, let expected = pattern.baseAddress, bytes.count <= 65_536 else {
                    isIntact = false
                    return
                }
                for start in stride(from: 0, to: bytes.count, by: Self.period) {
                    let count = min(Self.period, bytes.count - start)
                    let same = memcmp(received + start, expected + checked % Self.period, count) == 0
                    isIntact = isIntact && same
                    checked += count
                }
            }
        }

        func fill(_ transport: TLSTransport) {
            // `flush` makes room too, which nobody announces.
            while sent < total, transport.room > 0 {
                let count = min(total - sent, 40_000)
                let start = sent % Self.period
                Self.pattern.withUnsafeBytes {
                    transport.write(UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
                }
                sent += count
                if transport.room == 0 || sent == total { transport.flush() }
            }
        }
    }

    private func exchange(_ client: Peer, _ server: Peer, total: Int) {
        let up = client.queue.sync { Flow(client, total: total) }
        let down = server.queue.sync { Flow(server, total: total) }
        client.queue.sync { up.fill(client.transport) }
        server.queue.sync { down.fill(server.transport) }
        client.wait("all bytes", until: { _ in up.checked >= total })
        server.wait("all bytes", until: { _ in down.checked >= total })
        client.queue.sync { #expect(up.isIntact && up.checked == total) }
        server.queue.sync { #expect(down.isIntact && down.checked == total) }
    }

    @Test(arguments: [4 << 10, 5_000, 64 << 10])
    func manyBytesBothWaysThroughSmallKernelBuffersStayIntact(capacity: Int) throws {
        let pair = try Pair(capacity: capacity).established()
        exchange(pair.client, pair.server, total: 8 << 20)
    }

    @Test func sixtyFourMebibytesBothWaysOverSocketsStayIntact() throws {
        let (client, server) = try SocketPair.established()
        exchange(client, server, total: 64 << 20)
    }

    @Test func aHalfWrittenRecordGoesOnByItself() throws {
        let pair = try Pair().established()
        for step in [1, 4, 5, 6, 20] {
            pair.clientEnd.accept(exactly: step)
            pair.client.send([UInt8](repeating: 7, count: 30))
            #expect(pair.client.queue.sync { pair.client.transport.unwritten } > 0)
            pair.clientEnd.accept(exactly: nil)
        }
        pair.server.wait("150 bytes", until: { $0.received.count == 150 })
        pair.client.queue.sync {
            #expect(pair.client.transport.unwritten == 0)
            #expect(pair.client.transport.fate(firstByte: 0, end: 150) == .written)
            #expect(!pair.client.events.contains(.hasRoom))
        }
    }

    @Test func roomEndsAtTheLimitAndIsAnnouncedWhenItReturns() throws {
        let pair = try Pair().established()
        pair.clientEnd.accept(exactly: 0)
        pair.client.queue.sync {
            let transport = pair.client.transport
            #expect(transport.room == 256 << 10)
            [UInt8](repeating: 1, count: 256 << 10).withUnsafeBytes { transport.write($0) }
            #expect(transport.room == 0)
            transport.flush()
        }
        pair.clientEnd.accept(exactly: nil)
        pair.client.waitFor(.hasRoom)
        pair.server.wait("all", until: { $0.received.count == 256 << 10 })
    }

    @Test func beforeTheHandshakeThereIsNoRoom() throws {
        let (near, _) = MemoryChannel.pair()
        let context = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM))
        let client = Peer(near, try TLSEngine(client: context, serverName: "push.example")).start()
        client.queue.sync {
            #expect(client.transport.room == 0)
            ([1, 2] as [UInt8]).withUnsafeBytes { client.transport.write($0) }
            #expect(client.transport.fate(firstByte: 0, end: 2) == .notSent)
        }
    }

    @Test func oneBurstIsDrainedOnce() throws {
        let pair = try Pair().established()
        pair.server.wait("first drain", until: { $0.events.contains(.drained) })
        pair.serverEnd.hold()
        for _ in 0..<10 { pair.client.send([1]) }
        let before = pair.server.queue.sync { pair.server.events.count }
        pair.serverEnd.hold(isHeld: false)
        pair.server.wait("burst", until: { $0.received.count == 10 })
        #expect(pair.server.queue.sync { Array(pair.server.events[before...]) } == [.received, .drained])
    }

    @Test func anOrderlyCloseOfThePeerHasNoError() throws {
        let pair = try Pair().established()
        pair.server.queue.sync {
            ([9, 9] as [UInt8]).withUnsafeBytes { pair.server.transport.write($0) }
            pair.server.transport.close()
        }
        #expect(pair.client.waitForError() == nil)
        pair.client.queue.sync {
            #expect(pair.client.received == [9, 9])
            #expect(pair.client.events.last == .closed)
            #expect(pair.client.transport.room == 0)
        }
    }

    @Test func anEndWithoutCloseNotifyIsReported() throws {
        let pair = try Pair().established()
        pair.clientEnd.endStream()
        #expect(pair.client.waitForError()?.code == .truncated)
    }

    @Test func aResetIsReportedWithItsErrno() throws {
        let pair = try Pair().established()
        pair.server.queue.sync { pair.server.transport.abort() }
        let error = pair.client.waitForError()
        #expect(error?.layer == .socket)
        #expect(error?.code == .system(ECONNRESET))
    }

    @Test func damagedCiphertextIsReportedAfterWhatCameBefore() throws {
        let pair = try Pair().established()
        pair.clientEnd.hold()
        pair.server.send([1, 2, 3])
        [UInt8](repeating: 0x17, count: 64).withUnsafeBytes { _ = pair.serverEnd.write($0) }
        pair.clientEnd.hold(isHeld: false)
        #expect(pair.client.waitForError()?.code == .protocolViolation)
        #expect(pair.client.queue.sync { pair.client.received } == [1, 2, 3])
    }

    @Test func whatThePeerSaidBeforeAWriteFailedIsDelivered() throws {
        let pair = try Pair().established()
        pair.clientEnd.hold()
        pair.server.send([4, 5])
        pair.server.queue.sync { pair.server.transport.close() }
        pair.client.queue.sync {
            pair.clientEnd.hold(isHeld: false)
            ([1] as [UInt8]).withUnsafeBytes { pair.client.transport.write($0) }
            pair.client.transport.flush()
            #expect(!pair.client.events.contains(.closed), "no callback inside a call")
        }
        _ = pair.client.waitForError()
        #expect(pair.client.queue.sync { pair.client.received } == [4, 5])
    }

    @Test func anAlertTellsMoreThanTheWriteThatFailedBecauseOfIt() throws {
        let provider = TestPKI.provider(uid: "com.example.app", issuer: TestPKI.otherRoot)
        let pair = try Pair(client: provider, clientRoots: TestPKI.root, refusesUntrusted: true)
        pair.server.waitFor(.closed)
        // The alert has arrived or waits; writing fails as the server is gone.
        pair.client.queue.sync {
            ([1] as [UInt8]).withUnsafeBytes { pair.client.transport.write($0) }
            pair.client.transport.flush()
        }
        #expect(pair.client.waitForError()?.code == .certificateRefused)
    }

    @Test func aReleasedTransportClosesItsChannel() throws {
        let (near, far) = MemoryChannel.pair()
        weak var released: Peer?
        do {
            let context = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM))
            let client = Peer(near, try TLSEngine(client: context, serverName: "push.example")).start()
            released = client
        }
        #expect(released == nil)
        let server = Peer(far, try TLSEngine(server: .server(identity: TestPKI.server.identity()))).start()
        // By the missing answer or by the refused one, whichever it meets first.
        #expect(server.waitForError() != nil)
    }

    @Test(arguments: [Peer.Event.established, .received, .drained])
    func closingInsideACallbackEndsAllCallbacks(event: Peer.Event) throws {
        let pair = try Pair(onServerEvent: { if $1 == event { $0.transport.close() } })
        if event == .received {
            pair.client.waitFor(.established)
            pair.client.send([1])
        }
        pair.client.waitFor(.closed)
        pair.server.waitFor(event)
        pair.server.queue.sync { #expect(pair.server.events.last == event) }
    }

    @Test func answeringInsideReceivedReachesThePeer() throws {
        let pair = try Pair().established()
        pair.server.queue.sync {
            pair.server.onEvent = { peer, event in
                guard event == .received, !peer.received.isEmpty else { return }
                peer.received.withUnsafeBytes { peer.transport.write($0) }
                peer.transport.flush()
            }
        }
        pair.client.send([1, 2, 3])
        pair.client.wait("echo", until: { $0.received == [1, 2, 3] })
    }

    @Test func afterCloseNothingIsCalled() throws {
        let pair = try Pair().established()
        pair.client.queue.sync { pair.client.transport.close() }
        let before = pair.client.queue.sync { pair.client.events }
        pair.server.waitFor(.closed)
        pair.client.queue.sync {
            pair.client.transport.close()
            pair.client.transport.abort()
            pair.client.transport.flush()
        }
        #expect(pair.client.queue.sync { pair.client.events } == before)
    }
}
