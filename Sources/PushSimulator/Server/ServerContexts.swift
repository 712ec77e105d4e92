import PushLocking
import PushTransport

/// The TLS contexts of a simulator: the correct one, and the faulty ones, which are made when they are first needed.
final class ServerContexts: Sendable {
    private let credentials: ThrowAwayCredentials
    private let refusesUntrusted: Bool
    private let ordinary: TLSContext
    private let others = Locked<[TLSFault: TLSContext]>([:])

    init(_ credentials: ThrowAwayCredentials, refusesUntrusted: Bool) throws(SimulatorError) {
        self.credentials = credentials
        self.refusesUntrusted = refusesUntrusted
        ordinary = try Self.make(
            credentials.serverCertificatePEM, credentials.serverKeyPEM, clientRoots: credentials.authorityPEM,
            refusesUntrusted: refusesUntrusted)
    }

    /// - Throws: `invalidCredential` if the authority must issue a certificate but its key is unknown.
    func context(_ fault: TLSFault?) throws(SimulatorError) -> TLSContext {
        guard let fault else { return ordinary }
        return try others.withLock { others throws(SimulatorError) in
            if let made = others[fault] { return made }
            let made = try make(fault)
            others[fault] = made
            return made
        }
    }

    private func make(_ fault: TLSFault) throws(SimulatorError) -> TLSContext {
        var (certificate, key) = (credentials.serverCertificatePEM, credentials.serverKeyPEM)
        var clientRoots = credentials.authorityPEM
        var alpn = TLSContext.ServerALPN.h2
        switch fault {
        case .expiredCertificate: (certificate, key) = try credentials.otherServer(names: nil, days: -30 ... -2)
        case .wrongHost:
            (certificate, key) = try credentials.otherServer(names: "DNS:elsewhere.example", days: -1...365)
        case .untrustedAuthority:
            let stranger = try ThrowAwayCredentials()
            (certificate, key) = (stranger.serverCertificatePEM, stranger.serverKeyPEM)
        case .refusedClientCertificate: clientRoots = try ThrowAwayCredentials().authorityPEM
        case .noALPN: alpn = .none
        case .http1: alpn = .http1
        }
        return try Self.make(
            certificate, key, clientRoots: clientRoots,
            refusesUntrusted: refusesUntrusted || fault == .refusedClientCertificate, alpn: alpn)
    }

    private static func make(
        _ certificate: String, _ key: String, clientRoots: String, refusesUntrusted: Bool,
        alpn: TLSContext.ServerALPN = .h2
    ) throws(SimulatorError) -> TLSContext {
        do {
            let identity = try Identity(certificate: Array(certificate.utf8), key: Array(key.utf8))
            return try TLSContext.server(
                identity: identity, clientRoots: Array(clientRoots.utf8), refusesUntrusted: refusesUntrusted,
                alpn: alpn)
        } catch {
            throw SimulatorError(.invalidCredential, "The server's certificate cannot be used: \(error)")
        }
    }
}
