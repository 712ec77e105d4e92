import FoundationEssentials

/// Reports that a device token is no longer valid, derived from the answer to a push.
///
/// Only 410 `Unregistered`, 410 `ExpiredToken` and 400 `BadDeviceToken` cause this event.
public struct FeedbackEvent: Sendable {
    /// The source of the time.
    public enum Basis: String, Hashable, Sendable, Codable {
        /// APNs sent the time since which the token is invalid.
        case reported
        /// APNs sent no time, as for `BadDeviceToken`: it is the time of the answer.
        case observed
    }

    /// The name of the connection; nil for an anonymous one.
    public let connectionName: String?
    /// What the event is about: the apns-id if the caller set one for the push, otherwise all digits of the device
    /// token.
    public let subject: String
    /// The invalid device token.
    public let deviceToken: DeviceToken
    /// The apns-id of the push.
    public let apnsID: APNSID?
    /// Why it is invalid.
    public let reason: RejectionReason
    /// Whether the time comes from APNs.
    public let basis: Basis
    /// The time in milliseconds since 1970 UTC, whatever its source.
    private let milliseconds: Int64
    /// The context of the push.
    public let context: (any Sendable)?
    /// Whether the connection probably uses the wrong environment, where no device token is known. Check that first,
    /// and remove nothing.
    ///
    /// Only `BadDeviceToken` can be suspect. It is:
    ///
    /// - until an earlier answer has **proven** the environment: 200 or 410 to a push with the same topic, since the
    ///   connection got its credential. One proof is enough for all connections of a pool;
    /// - while more than half of the last 100 answers are `BadDeviceToken`, and at least 50 have arrived since the
    ///   connection got its credential. Every answer counts: accepted pushes, pushes to other devices, and this event's
    ///   own. Answers that arrive together are counted before the first of them is reported.
    ///
    /// A suspect token is not lost: the next push to it is answered, and reported, again.
    public let suspectsEnvironment: Bool

    /// Since when it is invalid, rounded down to the second. Remove the token only if it was registered before.
    public var invalidatedAt: Date { Date(unixSeconds: secondsRoundedDown(milliseconds)) }

    /// The exact time from APNs, in milliseconds since 1970 UTC; nil if APNs sent none.
    public var invalidatedAtMilliseconds: Int64? { basis == .reported ? milliseconds : nil }

    /// Creates an event, for tests of your feedback handler.
    ///
    /// - Parameters:
    ///   - deviceToken: The invalid device token.
    ///   - reason: Why it is invalid.
    ///   - invalidatedAt: Since when it is invalid.
    ///   - basis: Whether the time comes from APNs.
    ///   - connectionName: The name of the connection; nil for an anonymous one.
    ///   - apnsID: The apns-id of the push.
    ///   - subject: What the event is about; nil for all digits of the device token.
    ///   - context: The context of the push.
    ///   - suspectsEnvironment: Whether the connection probably uses the wrong environment. Nil, the default: what a
    ///     connection says before its first proof, so true for `BadDeviceToken` and false for all others.
    public init(
        deviceToken: DeviceToken, reason: RejectionReason = .unregistered, invalidatedAt: Date,
        basis: Basis = .reported, connectionName: String? = nil, apnsID: APNSID? = nil, subject: String? = nil,
        context: (any Sendable)? = nil, suspectsEnvironment: Bool? = nil
    ) {
        self.init(
            deviceToken, reason: reason, milliseconds: invalidatedAt.unixMilliseconds, basis: basis,
            connectionName: connectionName,
            apnsID: apnsID, subject: subject, context: context, suspectsEnvironment: suspectsEnvironment)
    }

    private init(
        _ deviceToken: DeviceToken, reason: RejectionReason, milliseconds: Int64, basis: Basis,
        connectionName: String?, apnsID: APNSID?, subject: String?, context: (any Sendable)?, suspectsEnvironment: Bool?
    ) {
        self.connectionName = connectionName
        self.subject = subject ?? deviceToken.hex
        self.deviceToken = deviceToken
        self.apnsID = apnsID
        self.reason = reason
        self.basis = basis
        self.milliseconds = milliseconds
        self.context = context
        self.suspectsEnvironment = suspectsEnvironment ?? (reason == .badDeviceToken)
    }

    /// Whether a device token that was registered at this time should be removed.
    ///
    /// True if it was registered before ``invalidatedAt``: an app that was reinstalled registers its token again. False
    /// while the connection probably uses the wrong environment (``suspectsEnvironment``): until its first push is
    /// accepted, no `BadDeviceToken` removes a device.
    ///
    /// - Parameter date: When the token was registered; nil if you know no such token, and there is nothing to remove.
    public func invalidates(registeredAt date: Date?) -> Bool {
        guard let date else { return false }
        return !suspectsEnvironment && date < invalidatedAt
    }

    /// Derives the event from an answer; nil if the answer does not invalidate the device token.
    ///
    /// - Parameters:
    ///   - callerID: The apns-id that the caller set (`APNSIDPolicy.fixed`); nil otherwise.
    ///   - sentID: The apns-id that was sent; if nil, that of the answer.
    ///   - answeredAt: The time of the answer, in milliseconds since 1970 UTC.
    package static func from(
        _ response: PushResponse, connectionName: String?, deviceToken: DeviceToken, callerID: APNSID?,
        sentID: APNSID?, answeredAt: Int64, context: (any Sendable)? = nil, suspectsEnvironment: Bool? = nil
    ) -> FeedbackEvent? {
        guard let reason = response.reason, invalidatesToken(response.status, reason: reason) else { return nil }
        return FeedbackEvent(
            deviceToken, reason: reason, milliseconds: response.timestampMilliseconds ?? answeredAt,
            basis: response.timestampMilliseconds == nil ? .observed : .reported, connectionName: connectionName,
            apnsID: callerID ?? sentID ?? response.apnsID, subject: callerID?.description, context: context,
            suspectsEnvironment: suspectsEnvironment)
    }

    private static func invalidatesToken(_ status: Int, reason: RejectionReason) -> Bool {
        switch (status, reason) {
        case (410, .unregistered), (410, .expiredToken), (400, .badDeviceToken): true
        default: false
        }
    }
}

/// A text such as `{"deviceToken":"a1b2…","subject":"a1b2…","reason":"Unregistered","basis":"reported",
/// "invalidatedAtMilliseconds":1700000000123,"suspectsEnvironment":false}`, and `connectionName` and `apnsID` if they
/// are set. The context is not encoded.
extension FeedbackEvent: Codable {
    private enum CodingKeys: String, CodingKey {
        case connectionName, subject, deviceToken, apnsID, reason, invalidatedAtMilliseconds, basis
        case suspectsEnvironment
    }

    /// Encodes everything but the context.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(connectionName, forKey: .connectionName)
        try values.encode(subject, forKey: .subject)
        try values.encode(deviceToken, forKey: .deviceToken)
        try values.encodeIfPresent(apnsID, forKey: .apnsID)
        try values.encode(reason, forKey: .reason)
        try values.encode(milliseconds, forKey: .invalidatedAtMilliseconds)
        try values.encode(basis, forKey: .basis)
        try values.encode(suspectsEnvironment, forKey: .suspectsEnvironment)
    }

    /// Decodes an event, which then has no context.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(DeviceToken.self, forKey: .deviceToken),
            reason: try values.decode(RejectionReason.self, forKey: .reason),
            milliseconds: try values.decode(Int64.self, forKey: .invalidatedAtMilliseconds),
            basis: try values.decode(Basis.self, forKey: .basis),
            connectionName: try values.decodeIfPresent(String.self, forKey: .connectionName),
            apnsID: try values.decodeIfPresent(APNSID.self, forKey: .apnsID),
            subject: try values.decodeIfPresent(String.self, forKey: .subject), context: nil,
            suspectsEnvironment: try values.decodeIfPresent(Bool.self, forKey: .suspectsEnvironment))
    }
}

extension FeedbackEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Reason, shortened device token and time. Contains nothing of the context.
    public var description: String {
        "\(reason): \(deviceToken), invalid since \(invalidatedAt.text) (\(basis))"
    }

    /// Same as `description`.
    public var debugDescription: String { "FeedbackEvent(\(description))" }

    /// Contains nothing beyond the description, because `subject` may be a complete device token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
