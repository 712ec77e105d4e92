import CPushOpenSSL
import Dispatch
import Glibc
import Testing

@testable import PushTransport

/// A reconnect goes on from the session of the connection before it.
@Suite struct ResumptionTests {
    private let client: TLSContext
    private let server: TLSContext

    init() throws {
        client = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM))
        server = try TLSContext.server(identity: TestPKI.server.identity())
    }

    /// A connection over which the client has got what the server sent behind the handshake. What each side says of it.
    ///
    /// - Parameter isLost: whether it ends without a goodbye.
    @discardableResult
    private func connect(
        _ client: TLSContext? = nil, _ server: TLSContext? = nil, host: String = "push.example", isLost: Bool = false
    ) throws -> (client: Bool, server: Bool) {
        let pair = try Pair(client ?? self.client, server ?? self.server, host: host).established()
        pair.server.send([1])
        pair.client.waitFor(.received)
        defer {
            pair.client.queue.sync { isLost ? pair.client.transport.abort() : pair.client.transport.close() }
        }
        return (
            pair.client.queue.sync { pair.client.transport.isResumed },
            pair.server.queue.sync { pair.server.transport.isResumed }
        )
    }

    private static func limitTo12(_ context: TLSContext) {
        SSL_CTX_ctrl(context.pointer, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    }

    @Test(arguments: [false, true], [false, true]) func aReconnectResumes(in12: Bool, isLost: Bool) throws {
        if in12 { Self.limitTo12(server) }
        #expect(try connect(isLost: isLost) == (false, false))
        for _ in 0..<3 {
            #expect(client.sessions.count == (in12 ? 1 : 2))
            #expect(try connect(isLost: isLost) == (true, true))
        }
    }

    @Test func aTicketIsUsedOnce() throws {
        try connect()
        // The server sends two.
        let engines = try (0..<2).map { _ in try TLSEngine(client: client, serverName: "push.example") }
        #expect(client.sessions.count == 0)
        #expect(try connect() == (false, false))
        withExtendedLifetime(engines) {}
    }

    @Test func eachOfManyConnectionsResumes() throws {
        let pairs = try (0..<50).map { _ in
            let pair = try Pair(client, server).established()
            pair.server.send([1])
            pair.client.waitFor(.received)
            return pair
        }
        let resumed = pairs.filter { pair in pair.client.queue.sync { pair.client.transport.isResumed } }
        #expect(resumed.count == 49)
        #expect(client.sessions.count == 2 && server.sessions.count == 0)
    }

    @Test func aSessionOfTLS12MayBeSharedByManyConnections() throws {
        Self.limitTo12(server)
        try connect()
        let first = try TLSEngine(client: client, serverName: "push.example")
        #expect(client.sessions.count == 1)
        #expect(try connect() == (true, true))
        withExtendedLifetime(first) {}
    }

    @Test func anotherHostOrContextBeginsFromScratch() throws {
        try connect()
        #expect(try connect(host: "127.0.0.1") == (false, false))
        let other = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM))
        #expect(try connect(other) == (false, false))
        #expect(try connect() == (true, true))
    }

    @Test func aServerThatForgotVerifiesFromScratch() throws {
        try connect()
        let successor = try TLSContext.server(identity: TestPKI.server.identity())
        #expect(try connect(nil, successor) == (false, false))
        let stranger = try TLSContext.server(
            identity: TestPKI.leaf(names: "DNS:push.example", issuer: TestPKI.otherRoot).identity())
        #expect(try Pair(client, stranger).client.waitForError()?.code == .untrustedIssuer)
    }

    @Test(arguments: [false, true]) func theServerStillKnowsTheClientsCertificate(in12: Bool) throws {
        let provider = try TestPKI.provider(uid: "com.example.app").identity()
        let client = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM), identity: provider)
        let server = try TLSContext.server(
            identity: TestPKI.server.identity(), clientRoots: TestPKI.root.certificatePEM)
        if in12 { Self.limitTo12(server) }
        try connect(client, server)
        let pair = try Pair(client, server).established()
        let (isResumed, der, failure) = pair.server.queue.sync {
            let transport = pair.server.transport
            return (transport.isResumed, transport.peerCertificateDER, transport.peerVerification)
        }
        #expect(isResumed && failure == nil)
        #expect(Certificate(der: try #require(der))?.subjectUID == "com.example.app")
    }

    @Test(arguments: [false, true]) func aFailedHandshakeForgetsTheSession(isCut: Bool) throws {
        Self.limitTo12(server)
        try connect()
        #expect(client.sessions.count == 1)
        let (near, far) = MemoryChannel.pair()
        if isCut { far.close() } else { Array("HTTP/1.1 400\r\n\r\n".utf8).withUnsafeBytes { _ = far.write($0) } }
        let peer = Peer(near, try TLSEngine(client: client, serverName: "push.example")).start()
        _ = peer.waitForError()
        #expect(peer.queue.sync { client.sessions.count } == 0)
        #expect(try connect() == (false, false))
        #expect(try connect() == (true, true))
    }

    /// Else a server that resumes and then hangs up would be tried the same way each time.
    @Test(arguments: [false, true]) func aResumedConnectionOverWhichNothingCameForgetsTheSession(in12: Bool) throws {
        if in12 { Self.limitTo12(server) }
        try connect()
        let pair = try Pair(client, server).established()
        #expect(pair.client.queue.sync { pair.client.transport.isResumed })
        pair.server.queue.sync { pair.server.transport.close() }
        pair.client.waitFor(.closed)
        #expect(pair.client.queue.sync { client.sessions.count } == 0)
        #expect(try connect() == (false, false))
    }

    @Test func sessionsAreBoundedAndGetOld() throws {
        try connect()
        let session = try #require(client.sessions.take(for: "push.example"))
        #expect(session.trustedUntil > 0)
        for number in 0..<300 { client.sessions.keep(session, for: "host-\(number)") }
        #expect(client.sessions.count == TLSSessions.limit)
        #expect(client.sessions.take(for: "host-43") == nil && client.sessions.take(for: "host-44") === session)
        SSL_SESSION_up_ref(session.pointer)
        client.sessions.keep(TLSSession(owning: session.pointer, trustedUntil: 1), for: "old")
        #expect(client.sessions.take(for: "old") == nil)
        #expect(client.sessions.count == TLSSessions.limit - 1)
    }

    /// However often it is resumed, a certificate is verified once a day, and once it has expired.
    @Test func aResumedSessionIsTrustedNoLongerThanTheFirst() throws {
        let short = try TLSContext.server(
            identity: TestPKI.leaf(names: "DNS:push.example", to: 3_600).identity())
        try connect(client, short)
        let first = try #require(client.sessions.take(for: "push.example"))
        client.sessions.keep(first, for: "push.example")
        #expect(try connect(client, short) == (true, true))
        let second = try #require(client.sessions.take(for: "push.example"))
        #expect(second !== first && second.trustedUntil == first.trustedUntil)
        #expect(first.trustedUntil < Int64(time(nil)) + 3_700)
    }
}
