import Glibc
import PushTransport

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
