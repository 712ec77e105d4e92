import FoundationEssentials

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

/// The header `apns-expiration`: until when APNs stores a push for a device that it cannot reach.
///
/// ```swift
/// notification.expiration = .after(.seconds(3_600))
/// ```
public struct Expiration: Hashable, Sendable {
    /// The number to send; nil for no header.
    package let headerValue: Int64?

    /// No header: APNs stores the push for up to 30 days. Overrides a default of the connection.
    public static let byServer = Expiration(headerValue: nil)
    /// `0`: APNs makes one attempt and stores nothing. It is not a deadline on our side.
    public static let immediately = Expiration(unixSeconds: 0)

    /// Stored until this time, which is rounded down to the second. A push that is still waiting in the runtime at that
    /// time is not sent. 1970 itself is ``immediately``; earlier times are refused when the push is checked.
    public static func at(_ date: Date) -> Expiration { Expiration(unixSeconds: date.unixSeconds) }

    /// Stored for this time from now on, at least a second: see ``at(_:)``. A notification that you make once and push for
    /// days has one time for all of it.
    public static func after(_ time: Duration, from start: Date = .now) -> Expiration {
        .at(start.after(max(time, .seconds(1))))
    }

    private init(headerValue: Int64?) { self.headerValue = headerValue }

    /// Creates an expiration from the header's number: 0 is one attempt, anything else a time in seconds since 1970
    /// UTC.
    public init(unixSeconds: Int64) { headerValue = unixSeconds }

    /// The header's number: 0 for one attempt, otherwise a time in seconds since 1970 UTC. Nil for no header.
    public var unixSeconds: Int64? { headerValue }

    /// When waiting ends. Nil for ``byServer`` and ``immediately``.
    public var waitingEndsAt: Date? { waitingEndsAtSeconds.map { Date(unixSeconds: $0) } }

    /// When waiting ends, in seconds since 1970 UTC.
    package var waitingEndsAtSeconds: Int64? { headerValue == 0 ? nil : headerValue }
}

extension Expiration: CustomStringConvertible {
    /// `by server`, `immediately`, or the time: `at 2030-03-17T17:46:40Z`.
    public var description: String {
        switch headerValue {
        case nil: "by server"
        case 0: "immediately"
        case let seconds?: "at \(Date(unixSeconds: seconds).text)"
        }
    }
}

/// The header `apns-collapse-id`: a later push with the same id replaces the earlier one on the device.
public struct CollapseID: Hashable, Sendable, CustomStringConvertible {
    /// The largest length in bytes of UTF-8.
    public static let maxBytes = 64

    /// The id, as it is sent.
    public let text: String

    /// Creates an id from 1 to 64 bytes of UTF-8, without control characters, and without a space at either end.
    ///
    /// - Parameters:
    ///   - text: The id.
    ///   - maxBytes: Another limit, in case APNs changes its own; at most 512.
    /// - Throws: `InvalidPush` with the code `.collapseIDTooLong` or `.invalidCollapseID`.
    public init(_ text: some StringProtocol, maxBytes: Int = CollapseID.maxBytes) throws(InvalidPush) {
        var text = String(text)
        text.makeContiguousUTF8()
        let length = text.utf8.count
        let limit = min(maxBytes, 512)
        if length > limit { throw InvalidPush(.collapseIDTooLong, bytes: length, limit: limit) }
        guard HeaderRules.isFieldValue(text) else { throw InvalidPush(.invalidCollapseID) }
        self.text = text
    }

    /// The id.
    public var description: String { text }
}
