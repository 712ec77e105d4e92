import PushTransport
import SupervisedPush

/// Why a connection does not use a proxy that was given.
enum ProxyPassedBy {
    /// - Parameters:
    ///   - setting: The setting, before the environment and the endpoint are considered.
    ///   - endpoint: The end of a link that uses no proxy.
    /// - Returns: Nil if no proxy was given.
    static func sentence(
        _ setting: ProxySetting, endpoint: Endpoint, variable: (String) -> String? = EnvironmentVariable.value
    ) -> String? {
        guard let given = given(setting, variable) else { return nil }
        let why = endpoint.isLoopback ? "\(endpoint.host) is this machine" : "NO_PROXY names \(endpoint.host)"
        return "\(given) was given, and is passed by because \(why)"
    }

    /// The URL without its password, or the variable that contains it.
    private static func given(_ setting: ProxySetting, _ variable: (String) -> String?) -> String? {
        if setting == ProxySetting.none { return nil }
        guard setting == .fromEnvironment else { return "\(setting)" }
        return ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"].first { variable($0) != nil }
    }
}
