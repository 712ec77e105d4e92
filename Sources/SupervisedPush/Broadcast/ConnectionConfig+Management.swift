import PushHTTP2

extension ConnectionConfig {
    /// This configuration for the management of channels: another host and port, no fallback, nothing that is about
    /// devices.
    ///
    /// A port for pushes says nothing of Apple's management host, which listens on neither of the two.
    func forManagement() -> ConnectionConfig {
        with {
            if host == nil, port == 443 || port == PortChoice.alternate {
                $0.port = environment.managementPort
            }
            $0.host = host ?? environment.managementHost
            $0.portFallback = false
            $0.ordered = .byCall
            $0.feedback = nil
            // Whoever holds the channels holds them for as long as the runtime lives.
            $0.restart = restart ?? .permanent
        }
    }
}

extension ClientSession.Configuration {
    /// For answers that list channels: ten thousand have some 300 KiB, and 2.6 MB if their ids are as long as can be.
    static var management: Self {
        var configuration = Self()
        configuration.maxBodyBytes = 4 << 20
        return configuration
    }
}
