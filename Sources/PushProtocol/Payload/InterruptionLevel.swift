/// How much a notification may disturb: the key `interruption-level`, iOS 15 and later.
///
/// A level that Apple adds tomorrow goes through as `InterruptionLevel(rawValue: "…")`.
public struct InterruptionLevel: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The value of the key.
    public let rawValue: String

    /// Takes any level by its value.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Goes to the list of notifications, without light or sound.
    public static let passive = InterruptionLevel(rawValue: "passive")
    /// Lights the screen and may play a sound: what APNs takes without the key.
    public static let active = InterruptionLevel(rawValue: "active")
    /// Breaks through a Focus and the summary. Needs a capability of the app.
    public static let timeSensitive = InterruptionLevel(rawValue: "time-sensitive")
    /// Breaks through the mute switch as well. Needs Apple's entitlement; go with ``Sound/critical(_:volume:isCritical:)``.
    public static let critical = InterruptionLevel(rawValue: "critical")

    /// The value of the key.
    public var description: String { rawValue }
}
