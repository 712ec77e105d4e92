import PushTransport

/// Where a configuration leads, settled at this moment: what a diagnosis needs to take the same way step by step.
package struct DialPlan: Sendable {
    /// Where the link ends.
    package let endpoint: Endpoint
    /// What it is tunnelled through, with the environment read; nil: it goes straight.
    package let proxy: ProxyServer?
    /// Any of the configuration's limits, for one attempt.
    package let connectTimeout: Duration
    package let tunnelTimeout: Duration
    private let trust: TrustRoots

    /// - Throws: What `connect` would: a value out of range, a proxy's URL in the environment that makes no sense.
    package init(_ config: ConnectionConfig) throws(ConnectError) {
        let config = try config.settled()
        endpoint = config.endpoint
        proxy = config.proxy.server
        connectTimeout = config.connectTimeout
        tunnelTimeout = config.tunnelTimeout
        trust = config.trust
    }

    /// A context that verifies the server as the connection does, and shows no certificate of ours.
    ///
    /// - Throws: Where a trust bundle can't be read or used.
    package func context() throws(ConnectError) -> TLSContext {
        let files = try TrustFiles(trust)
        do {
            return try files.context(nil)
        } catch {
            throw ConnectError(.credential, "The trust bundle can't be used: \(error)")
        }
    }
}
