import PushHTTP2

extension PushConnection.Configuration {
    /// This configuration for the management of channels: another host and port, no fallback, no device settings.
    ///
    /// A port for pushes does not apply to Apple's management hosts, which listen on neither of the two.
    func forManagement() -> PushConnection.Configuration {
        with {
            if host == nil, port == 443 || port == PortChoice.alternate {
                $0.port = environment.managementPort
            }
            $0.host = host ?? environment.managementHost
            $0.portFallback = false
            $0.ordered = .byCall
            $0.feedback = nil
            // The channels need a connection for as long as the runtime lives.
            $0.retry.restart = retry.restart ?? .permanent
        }
    }
}

extension ClientSession.Configuration {
    /// For answers that list channels: ten thousand channels take about 300 KiB, and 2.6 MB with ids of the greatest
    /// length.
    static var management: Self {
        var configuration = Self()
        configuration.maxBodyBytes = 4 << 20
        return configuration
    }
}
