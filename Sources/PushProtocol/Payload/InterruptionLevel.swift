/// How much a notification may interrupt: the key `interruption-level`, iOS 15 and later.
///
/// Use `InterruptionLevel(rawValue: "…")` for a level that Apple adds later.
public struct InterruptionLevel: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The value of the key.
    public let rawValue: String

    /// Creates a level from its value.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Added to the notification list without light or sound.
    public static let passive = InterruptionLevel(rawValue: "passive")
    /// Lights the screen and may play a sound. APNs assumes this level without the key.
    public static let active = InterruptionLevel(rawValue: "active")
    /// Breaks through a Focus and the summary. The app needs a capability.
    public static let timeSensitive = InterruptionLevel(rawValue: "time-sensitive")
    /// Also breaks through the mute switch. The app needs Apple's entitlement. Combine it with
    /// ``Sound/critical(_:volume:isCritical:)``.
    public static let critical = InterruptionLevel(rawValue: "critical")

    /// The value of the key.
    public var description: String { rawValue }
}
