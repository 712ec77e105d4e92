import PushTransport

/// Which way a connection takes to APNs: straight, or through a proxy that makes tunnels.
///
/// TLS goes through the tunnel from end to end: the proxy sees the host's name and port, and nothing of the pushes. The
/// proxy resolves the host's name, and may do so where this machine cannot. A host that is this machine – `localhost`
/// and names below it, 127.0.0.0/8, ::1 – is never reached through a proxy, whatever the setting.
///
/// No text made of it shows the password.
public struct ProxySetting: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    enum Kind: Sendable, Hashable {
        case none
        case server(ProxyServer)
        case environment
    }

    let kind: Kind

    /// No proxy, also where the environment names one. The default.
    public static let none = Self(kind: .none)

    /// What the environment says when the connection is made, in `connect` or `startPool`: `HTTPS_PROXY` (or
    /// `https_proxy`), else `ALL_PROXY` (or `all_proxy`), with a URL as ``url(_:)`` takes it; none where both are
    /// missing or empty.
    ///
    /// `NO_PROXY` (or `no_proxy`) lists hosts to reach without, by commas: `*` for all, domains (`example.com` or
    /// `.example.com`: itself and every name below it), addresses, networks (`10.0.0.0/8`), and `host:port`.
    public static let fromEnvironment = Self(kind: .environment)

    /// An HTTP proxy that allows CONNECT to APNs' port.
    ///
    /// - Parameters:
    ///   - host: Its name or address, without scheme and brackets.
    ///   - port: 1 to 65535.
    ///   - user: Sent at once as Basic credentials, with the password; nil for a proxy that asks for none. Without a
    ///     colon.
    ///   - password: Empty where it is left out.
    public static func http(host: String, port: Int, user: String? = nil, password: String? = nil) -> Self {
        Self(.http, host, port, user, password)
    }

    /// A SOCKS proxy, version 5.
    ///
    /// - Parameters:
    ///   - host: Its name or address, without scheme and brackets.
    ///   - port: 1 to 65535.
    ///   - user: Shown where the proxy asks for it, with the password; nil for a proxy that asks for none. 1 to 255
    ///     bytes.
    ///   - password: 1 to 255 bytes, where there is a user.
    public static func socks5(host: String, port: Int, user: String? = nil, password: String? = nil) -> Self {
        Self(.socks5, host, port, user, password)
    }

    /// A proxy by its URL: `http://user:password@host:port`, `socks5://…` or `socks5h://…`, which mean the same.
    ///
    /// User name and password are percent-decoded. Without a port it is 80 for HTTP and 1080 for SOCKS; without a
    /// scheme it is HTTP. Proxies that want TLS to themselves (`https://`) are not supported.
    ///
    /// - Throws: ``ConnectError`` with the code `configuration`, whose sentence says what is wrong and shows nothing of
    ///   the URL.
    public static func url(_ text: String) throws(ConnectError) -> Self {
        do { return Self(kind: .server(try ProxyURL.server(text))) } catch {
            throw ConnectError(.configuration, "The proxy's URL cannot be used: \(error.sentence)")
        }
    }

    private init(kind: Kind) { self.kind = kind }

    private init(_ kind: ProxyServer.Kind, _ host: String, _ port: Int, _ user: String?, _ password: String?) {
        let login = user.map { ProxyServer.Login(user: $0, password: password ?? "") }
        self.init(kind: .server(ProxyServer(kind, at: Endpoint(host: host, port: port), login: login)))
    }

    /// The proxy itself. nil for none, and before the environment was read.
    var server: ProxyServer? { if case .server(let server) = kind { server } else { nil } }

    /// Its URL without the password; nil for none.
    var shown: String? { server.map { "\($0)" } }

    /// What makes no sense; nil if it does.
    var problem: String? { server.flatMap(ProxyURL.problem) }

    /// The setting as it holds for this endpoint: none, or a proxy.
    ///
    /// - Parameter variable: The value of an environment variable.
    func settled(
        for endpoint: Endpoint, _ variable: (String) -> String? = ProxyEnvironment.variable
    ) throws(ConnectError) -> Self {
        guard !endpoint.isLoopback else { return .none }
        guard case .environment = kind else { return self }
        return try ProxyEnvironment.proxy(for: endpoint, variable).map { Self(kind: .server($0)) } ?? .none
    }

    /// The kind, and the URL without the password.
    public var description: String {
        switch kind {
        case .none: "none"
        case .server(let server): "\(server)"
        case .environment: "from the environment"
        }
    }

    /// As the description.
    public var customMirror: Mirror { Mirror(self, children: ["setting": description]) }
}
