import Dispatch
import PushLocking
import PushTransport
import Testing

@Suite struct TLSHandshakeTests {
    @Test(arguments: ["push.example", "push.example.", "PUSH.example", "127.0.0.1", "::1"])
    func aVerifiedServerIsEstablished(host: String) throws {
        let pair = try Pair(host: host).established()
        #expect(pair.server.queue.sync { pair.server.transport.peerCertificateDER } == nil)
        #expect(pair.client.queue.sync { pair.client.transport.peerCertificateDER } != nil)
    }

    @Test(arguments: ["other.example", "example", "sub.push.example", "127.0.0.2", "::2"])
    func anotherHostsCertificateIsRefused(host: String) throws {
        let pair = try Pair(host: host)
        let error = pair.client.waitForError()
        #expect(error?.code == .wrongHost)
        #expect(error?.layer == .tls)
        #expect(error?.sentence.contains("Check the host") == true)
        #expect(pair.client.queue.sync { pair.client.events } == [.closed])
    }

    @Test(arguments: ["", ".", "a\0b"])
    func anEmptyServerNameNeverMeansAnyHost(name: String) throws {
        let context = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM))
        #expect(throws: TransportError.self) { try TLSEngine(client: context, serverName: name) }
    }

    @Test func anUntrustedIssuerIsNamed() throws {
        let error = try Pair(roots: TestPKI.otherRoot).client.waitForError()
        #expect(error?.code == .untrustedIssuer)
    }

    @Test func theSystemsRootsDoNotKnowTheTestRoot() throws {
        let (near, far) = MemoryChannel.pair()
        let server = Peer(far, try TLSEngine(server: .server(identity: TestPKI.server.identity()))).start()
        let engine = try TLSEngine(client: .client(trust: .system), serverName: "push.example")
        let client = Peer(near, engine).start()
        #expect(client.waitForError()?.code == .untrustedIssuer)
        // The server hears our alert.
        #expect(server.waitForError()?.layer == .tls)
    }

    @Test func anExpiredCertificateIsNamed() throws {
        let expired = TestPKI.leaf(names: "DNS:push.example", from: -7_200, to: -3_600)
        let error = try Pair(server: expired).client.waitForError()
        #expect(error?.code == .certificateExpired)
        #expect(error?.sentence.contains("clock") == true)
    }

    @Test func aCertificateFromTheFutureIsNamed() throws {
        let early = TestPKI.leaf(names: "DNS:push.example", from: 3_600, to: 7_200)
        #expect(try Pair(server: early).client.waitForError()?.code == .certificateNotYetValid)
    }

    @Test func aServerWithoutHTTP2IsRefused() throws {
        let error = try Pair(alpn: .none).client.waitForError()
        #expect(error?.code == .noHTTP2)
        #expect(error?.layer == .tls)
    }

    @Test func aServerThatChoosesWhatWasNotOfferedIsRefused() throws {
        let error = try Pair(alpn: .http1).client.waitForError()
        #expect(error?.layer == .tls)
    }

    @Test func aClientCertificateIsShownToTheServer() throws {
        let provider = TestPKI.provider(uid: "com.example.app")
        let pair = try Pair(client: provider, clientRoots: TestPKI.root).established()
        let (der, failure) = pair.server.queue.sync {
            (pair.server.transport.peerCertificateDER, pair.server.transport.peerVerification)
        }
        #expect(failure == nil)
        #expect(Certificate(der: try #require(der))?.subjectUID == "com.example.app")
    }

    @Test(arguments: [true, false])
    func anUntrustedClientCertificateMayBeLetThrough(withRoots: Bool) throws {
        let provider = TestPKI.provider(uid: "com.example.app")
        let pair = try Pair(client: provider, clientRoots: withRoots ? TestPKI.otherRoot : nil).established()
        #expect(pair.server.queue.sync { pair.server.transport.peerVerification } == .untrustedIssuer)
    }

    @Test func theServersAlertAboutOurCertificateIsACode() throws {
        let provider = TestPKI.provider(uid: "com.example.app", issuer: TestPKI.otherRoot)
        let pair = try Pair(client: provider, clientRoots: TestPKI.root, refusesUntrusted: true)
        let error = pair.client.waitForError()
        #expect(error?.code == .certificateRefused)
        #expect(pair.server.waitForError()?.code == .untrustedIssuer)
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", String(repeating: "x", count: 20_000)])
    func garbageFromTheServerIsAnError(garbage: String) throws {
        let (near, far) = MemoryChannel.pair()
        let context = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM))
        Array(garbage.utf8).withUnsafeBytes { _ = far.write($0) }
        let client = Peer(near, try TLSEngine(client: context, serverName: "push.example")).start()
        #expect(client.waitForError()?.code == .protocolViolation)
    }

    @Test func aCutInTheServersFlightIsReportedOnce() throws {
        let context = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM))
        let serverContext = try TLSContext.server(identity: TestPKI.server.identity())
        for cut in 0..<500 {
            let (near, far) = MemoryChannel.pair()
            let client = Peer(near, try TLSEngine(client: context, serverName: "push.example"))
            let server = Locked(try TLSEngine(server: serverContext))
            far.activate(on: client.queue) { _ in
                server.withLock { answer(far, $0, cut: cut) }
                far.close()
            }
            #expect(client.start().waitForError()?.code == .closedInHandshake, "cut at \(cut)")
            #expect(client.queue.sync { client.events } == [.closed])
        }
    }

    /// Answers the client's hello with the first bytes of the server's flight.
    private func answer(_ channel: MemoryChannel, _ engine: TLSEngine, cut: Int) {
        var hello = [UInt8](repeating: 0, count: 16 << 10)
        hello.withUnsafeMutableBytes { buffer in
            guard case .bytes(let count) = channel.read(into: buffer) else { return }
            engine.feed(UnsafeRawBufferPointer(rebasing: buffer.prefix(count))) { _ = try? engine.handshake() }
        }
        #expect(engine.outgoing.count > cut)
        _ = channel.write(UnsafeRawBufferPointer(rebasing: engine.outgoing.prefix(cut)))
    }

    @Test func aResetInTheHandshakeIsReported() throws {
        let (near, far) = MemoryChannel.pair()
        let context = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM))
        let client = Peer(near, try TLSEngine(client: context, serverName: "push.example")).start()
        far.reset()
        #expect(client.waitForError()?.code == TransportError.Code("ECONNRESET"))
    }

    @Test func bytesOneByOneEstablishToo() throws {
        let pair = try Pair(capacity: 1).established()
        pair.client.send([1, 2, 3])
        pair.server.wait(until: { $0.received == [1, 2, 3] })
    }
}
