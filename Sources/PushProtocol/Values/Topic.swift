/// The header `apns-topic`: the bundle id of the app, with a suffix for some push types, or the topic of a certificate.
///
/// Any text can be a `Topic`; whether it may stand in a header (visible ASCII only, at most ``maxBytes``) is checked before
/// a push is sent.
public struct Topic: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The largest length that is sent, in bytes, the suffix of the push type included: well beyond any bundle id.
    public static let maxBytes = 512

    /// The topic, as it is sent.
    public let rawValue: String

    /// Takes a topic as it shall be sent.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Takes a topic as it shall be sent.
    public init(_ text: some StringProtocol) {
        rawValue = String(text)
    }

    /// Takes a topic written in the program.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// This topic as the given push type needs it: with its suffix, which is not added twice.
    public func suffixed(for type: PushType) -> Topic {
        let suffix = type.topicSuffix
        return suffix.isEmpty || rawValue.hasSuffix(suffix) ? self : Topic(rawValue: rawValue + suffix)
    }

    /// The topic.
    public var description: String { rawValue }
}
