import PushTransport

extension TLSTransport {
    /// How the provider authenticated in the handshake, and why its certificate is refused, if it is.
    func authentication(in environment: SimulatedEnvironment) -> (Authentication, Refusal?) {
        guard let der = peerCertificateDER else { return (.token, nil) }
        guard peerVerification == nil, let certificate = ProviderCertificate(der: der) else {
            return (.token, .badCertificate)
        }
        let fits = certificate.environments.contains(environment)
        return (.certificate(certificate), fits ? nil : .badCertificateEnvironment)
    }
}
