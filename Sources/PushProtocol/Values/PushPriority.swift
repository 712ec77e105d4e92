/// The header `apns-priority`: how APNs weighs delivery against the device's power.
///
/// Without the header APNs takes 10. A value it does not know is sent as given and answered with `BadPriority`.
public struct PushPriority: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number that is sent.
    public let rawValue: Int

    /// Takes any priority by its number.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// 10: deliver at once. Not permitted for background pushes.
    public static let immediate = PushPriority(rawValue: 10)
    /// 5: deliver when the device's power allows; may be grouped with others.
    public static let conserving = PushPriority(rawValue: 5)
    /// 1: power before everything else; does not wake the device.
    public static let low = PushPriority(rawValue: 1)

    static let known: [PushPriority] = [.immediate, .conserving, .low]

    /// The number.
    public var description: String { String(rawValue) }
}
