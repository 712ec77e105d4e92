import Dispatch
import PushTransport
import Testing

@Suite struct ALPNTests {
    /// A client that offers nothing, and a server.
    private func pair(_ alpn: TLSContext.ServerALPN, host: String = "push.example") throws -> Pair {
        try Pair(
            .client(trust: .pem(TestPKI.root.certificatePEM), alpn: .none),
            .server(identity: TestPKI.server.identity(), alpn: alpn), host: host)
    }

    @Test(arguments: [TLSContext.ServerALPN.none, .h2, .http1])
    func aClientThatOffersNothingAcceptsAnyServer(alpn: TLSContext.ServerALPN) throws {
        let pair = try pair(alpn).established()
        #expect(pair.client.queue.sync { pair.client.transport.agreement }?.applicationProtocol == nil)
        pair.client.send([1, 2, 3])
        pair.server.wait("bytes", until: { $0.received == [1, 2, 3] })
    }

    @Test func aClientThatOffersNothingStillVerifiesTheHost() throws {
        #expect(try pair(.none, host: "other.example").client.waitForError()?.code == .wrongHost)
    }

    @Test func aClientThatOffersNothingStillVerifiesTheIssuer() throws {
        let pair = try Pair(
            .client(trust: .pem(TestPKI.otherRoot.certificatePEM), alpn: .none),
            .server(identity: TestPKI.server.identity(), alpn: .none))
        #expect(pair.client.waitForError()?.code == .untrustedIssuer)
    }
}
