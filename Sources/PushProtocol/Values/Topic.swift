/// The header `apns-topic`: the bundle id of the app, with a suffix for some push types, or the topic of a certificate.
///
/// A `Topic` may contain any text. Whether it is valid in a header (visible ASCII, at most ``maxBytes``) is checked
/// before a push is sent.
public struct Topic: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The largest length in bytes, including the suffix of the push type: far beyond any bundle id.
    public static let maxBytes = 512

    /// The topic, as it is sent.
    public let rawValue: String

    /// Creates a topic from the text to send.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a topic from the text to send.
    public init(_ text: some StringProtocol) {
        rawValue = String(text)
    }

    /// Creates a topic from a literal.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// This topic with the suffix of the push type, which is not added twice.
    public func suffixed(for type: PushType) -> Topic {
        let suffix = type.topicSuffix
        return suffix.isEmpty || rawValue.hasSuffix(suffix) ? self : Topic(rawValue: rawValue + suffix)
    }

    /// The topic.
    public var description: String { rawValue }
}
