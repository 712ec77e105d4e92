/// The header `apns-priority`: how APNs balances prompt delivery against the device's power.
///
/// Without the header APNs assumes 10. An unknown value is sent unchanged and rejected with `BadPriority`.
public struct PushPriority: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number that is sent.
    public let rawValue: Int

    /// Creates a priority from its number.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// 10: deliver at once. Not permitted for background pushes.
    public static let immediate = PushPriority(rawValue: 10)
    /// 5: deliver when the device's power permits; may be grouped with others.
    public static let conserving = PushPriority(rawValue: 5)
    /// 1: saving power comes first; does not wake the device.
    public static let low = PushPriority(rawValue: 1)

    static let known: [PushPriority] = [.immediate, .conserving, .low]

    /// The number.
    public var description: String { String(rawValue) }
}
