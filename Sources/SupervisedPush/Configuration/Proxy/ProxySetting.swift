import Glibc
import PushTransport

/// The route of a connection to APNs: direct, or through a proxy that opens a tunnel.
///
/// TLS runs through the tunnel from end to end: the proxy sees the host's name and port, and nothing of the pushes. The
/// proxy resolves the host's name, so it may work where this machine cannot resolve it. This machine itself –
/// `localhost` and names below it, 127.0.0.0/8, ::1 – is never reached through a proxy.
///
/// No description of this value shows the password.
public struct ProxySetting: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    enum Kind: Sendable, Hashable {
        case none
        case server(ProxyServer)
        case environment
    }

    let kind: Kind

    /// No proxy, even if the environment names one. The default.
    public static let none = Self(kind: .none)

    /// As the environment says at the time of `connect` or `connect(name:size:config:)`: `HTTPS_PROXY` (or `https_proxy`), otherwise
    /// `ALL_PROXY` (or `all_proxy`), with a URL as for ``url(_:)``. No proxy if both are missing or empty.
    ///
    /// `NO_PROXY` (or `no_proxy`) lists hosts to reach directly, separated by commas: `*` for all, domains
    /// (`example.com` or `.example.com`: itself and every name below it), addresses, networks (`10.0.0.0/8`), and
    /// `host:port`.
    public static let fromEnvironment = Self(kind: .environment)

    /// An HTTP proxy that allows CONNECT to APNs' port.
    ///
    /// - Parameters:
    ///   - host: Its name or address, without scheme and brackets.
    ///   - port: 1 to 65535.
    ///   - user: The user name, without a colon. It is sent at once as Basic credentials, with the password. Nil for a
    ///     proxy that needs none.
    ///   - password: Empty if omitted.
    public static func http(host: String, port: Int, user: String? = nil, password: String? = nil) -> Self {
        Self(.http, host: host, port: port, user: user, password: password)
    }

    /// A SOCKS proxy, version 5.
    ///
    /// - Parameters:
    ///   - host: Its name or address, without scheme and brackets.
    ///   - port: 1 to 65535.
    ///   - user: The user name, 1 to 255 bytes. It is sent with the password if the proxy asks for it. Nil for a proxy
    ///     that needs none.
    ///   - password: 1 to 255 bytes, if there is a user.
    public static func socks5(host: String, port: Int, user: String? = nil, password: String? = nil) -> Self {
        Self(.socks5, host: host, port: port, user: user, password: password)
    }

    /// A proxy from its URL: `http://user:password@host:port`, `socks5://…` or `socks5h://…`; the last two mean the
    /// same.
    ///
    /// User name and password are percent-decoded. The default port is 80 for HTTP and 1080 for SOCKS; the default
    /// scheme is HTTP. TLS to the proxy itself (`https://`) is not supported.
    ///
    /// - Throws: ``ConnectError`` with the code `configuration`. Its sentence says what is wrong and shows no part of
    ///   the URL.
    public static func url(_ text: String) throws(ConnectError) -> Self {
        do { return Self(kind: .server(try ProxyURL.server(text))) } catch {
            throw ConnectError(.configuration, "The proxy's URL cannot be used: \(error.sentence)")
        }
    }

    private init(kind: Kind) { self.kind = kind }

    private init(_ kind: ProxyServer.Kind, host: String, port: Int, user: String?, password: String?) {
        let login = user.map { ProxyServer.Login(user: $0, password: password ?? "") }
        self.init(kind: .server(ProxyServer(kind, at: Endpoint(host: host, port: port), login: login)))
    }

    /// The proxy; nil for none, and before the environment was read.
    var server: ProxyServer? { if case .server(let server) = kind { server } else { nil } }

    /// Its URL without the password; nil for none.
    var shown: String? { server.map { "\($0)" } }

    /// What is invalid; nil if nothing is.
    var problem: String? { server.flatMap(ProxyURL.problem) }

    /// The setting for this endpoint: none, or a proxy.
    ///
    /// - Parameter variable: Returns the value of an environment variable.
    func resolved(
        for endpoint: Endpoint, variable: (String) -> String? = ProxyEnvironment.variable
    ) throws(ConnectError) -> Self {
        guard !endpoint.isLoopback else { return .none }
        guard case .environment = kind else { return self }
        return try ProxyEnvironment.proxy(for: endpoint, variable: variable).map { Self(kind: .server($0)) } ?? .none
    }

    /// The kind, and the URL without the password.
    public var description: String {
        switch kind {
        case .none: "none"
        case .server(let server): "\(server)"
        case .environment: "from the environment"
        }
    }

    /// The same as the description.
    public var customMirror: Mirror { Mirror(self, children: ["setting": description]) }
}

/// The environment's proxy variables. The upper-case name takes precedence over the lower-case one. An empty value
/// counts as missing.
enum ProxyEnvironment {
    /// The value of a variable of this process.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The proxy for an endpoint; nil if it is reached directly.
    static func proxy(
        for endpoint: Endpoint, variable: (String) -> String?
    ) throws(ConnectError) -> ProxyServer? {
        guard
            let (name, text) = first(of: ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"], variable: variable)
        else {
            return nil
        }
        if let (_, list) = first(of: ["NO_PROXY", "no_proxy"], variable: variable), NoProxyList(list).contains(endpoint)
        {
            return nil
        }
        do { return try ProxyURL.server(text) } catch {
            throw ConnectError(
                .configuration, "The proxy's URL in the environment's \(name) cannot be used: \(error.sentence)")
        }
    }

    private static func first(of names: [String], variable: (String) -> String?) -> (name: String, value: String)? {
        for name in names {
            if let value = variable(name), !value.isEmpty { return (name, value) }
        }
        return nil
    }
}
