import PushTransport

/// The route of a configuration, resolved at this moment. A diagnosis uses it to take the same route step by step.
package struct DialPlan: Sendable {
    /// The end of the link.
    package let endpoint: Endpoint
    /// The proxy, with the environment's variables applied; nil: the link is direct.
    package let proxy: ProxyServer?
    /// The configuration's limit for one attempt.
    package let connectTimeout: Duration
    package let tunnelTimeout: Duration
    private let trust: TrustRoots

    /// - Throws: As `connect`: a value out of range, or an invalid proxy URL in the environment.
    package init(_ config: PushConnection.Configuration) throws(ConnectError) {
        let config = try config.validated()
        endpoint = config.endpoint
        proxy = config.proxy.server
        connectTimeout = config.liveness.connectTimeout
        tunnelTimeout = config.liveness.tunnelTimeout
        trust = config.trust
    }

    /// A context that verifies the server as the connection does, without a client certificate.
    ///
    /// - Throws: If a trust bundle can't be read or used.
    package func context() throws(ConnectError) -> TLSContext {
        let files = try TrustFiles(trust)
        do {
            return try files.context(nil)
        } catch {
            throw ConnectError(.credential, "The trust bundle can't be used: \(error)")
        }
    }
}
