/// Apple's two push services.
public struct APNsEnvironment: Sendable, Hashable, CustomStringConvertible {
    /// `production` or `development`.
    public let description: String
    /// The host of the environment.
    public let host: String
    /// The host that manages the broadcast channels of the environment.
    public let managementHost: String
    /// The port of that host.
    public let managementPort: Int

    /// Apps from the App Store, TestFlight and enterprise distribution.
    public static let production = Self(
        description: "production", host: "api.push.apple.com",
        managementHost: "api-manage-broadcast.push.apple.com", managementPort: 2_196)
    /// Apps run from Xcode. Apple also calls this environment the sandbox.
    public static let development = Self(
        description: "development", host: "api.sandbox.push.apple.com",
        managementHost: "api-manage-broadcast.sandbox.push.apple.com", managementPort: 2_195)
}
