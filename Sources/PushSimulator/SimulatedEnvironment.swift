/// The APNs environment that is simulated.
public enum SimulatedEnvironment: String, Sendable, Hashable, CaseIterable {
    /// `api.push.apple.com`.
    case production
    /// `api.sandbox.push.apple.com`: answers also carry `apns-unique-id`.
    case development
}
