/// Reports that a device token is no longer valid, derived from the answer to a push.
///
/// Only 410 `Unregistered`, 410 `ExpiredToken` and 400 `BadDeviceToken` cause this event.
public struct FeedbackEvent: Sendable {
    /// The source of the time.
    public enum Basis: Hashable, Sendable {
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
    /// Since when it is invalid, in seconds since 1970 UTC. Remove the token only if it was registered before.
    public let invalidatedAt: Int64
    /// The exact time from APNs, in milliseconds since 1970 UTC; nil if APNs sent none.
    public let invalidatedAtMilliseconds: Int64?
    /// Whether the time comes from APNs.
    public let basis: Basis
    /// The context of the push.
    public let context: (any Sendable)?
    /// Whether the connection probably uses the wrong environment, where no device token is known. Check that first,
    /// and remove nothing.
    ///
    /// True while more than half of the last 100 answers are `BadDeviceToken`, and at least 50 have arrived since the
    /// connection got its credential. The connections of a pool are counted together. Every answer counts: accepted
    /// pushes, pushes to other devices, and this event's own. Answers that arrive together are counted before the first
    /// of them is reported.
    public var suspectsEnvironment: Bool

    /// Whether a device token that was registered at this time, in seconds since 1970 UTC, should be removed.
    ///
    /// True if it was registered before ``invalidatedAt``: an app that was reinstalled registers its token again. False
    /// while the connection probably uses the wrong environment (``suspectsEnvironment``).
    public func invalidates(registeredAt seconds: Int64) -> Bool { !suspectsEnvironment && seconds < invalidatedAt }

    /// Derives the event from an answer; nil if the answer does not invalidate the device token.
    ///
    /// - Parameters:
    ///   - callerID: The apns-id that the caller set (`APNSIDPolicy.fixed`); nil otherwise.
    ///   - sentID: The apns-id that was sent; if nil, that of the answer.
    ///   - answeredAt: The time of the answer, in milliseconds since 1970 UTC.
    package static func from(
        _ response: PushResponse, connectionName: String?, deviceToken: DeviceToken, callerID: APNSID?,
        sentID: APNSID?, answeredAt: Int64, context: (any Sendable)? = nil, suspectsEnvironment: Bool = false
    ) -> FeedbackEvent? {
        guard let reason = response.reason, invalidatesToken(response.status, reason) else { return nil }
        return FeedbackEvent(
            connectionName: connectionName,
            subject: callerID?.description ?? deviceToken.hex,
            deviceToken: deviceToken,
            apnsID: callerID ?? sentID ?? response.apnsID,
            reason: reason,
            invalidatedAt: seconds(response.timestamp ?? answeredAt),
            invalidatedAtMilliseconds: response.timestamp,
            basis: response.timestamp == nil ? .observed : .reported,
            context: context,
            suspectsEnvironment: suspectsEnvironment)
    }

    private static func invalidatesToken(_ status: Int, _ reason: RejectionReason) -> Bool {
        switch (status, reason) {
        case (410, .unregistered), (410, .expiredToken), (400, .badDeviceToken): true
        default: false
        }
    }

    /// Rounded down, so that a token registered within that second is kept.
    private static func seconds(_ milliseconds: Int64) -> Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension FeedbackEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Reason, shortened device token and time. Contains nothing of the context.
    public var description: String {
        "\(reason): \(deviceToken), invalid since \(invalidatedAt) (\(basis))"
    }

    /// Same as `description`.
    public var debugDescription: String { "FeedbackEvent(\(description))" }

    /// Contains nothing beyond the description, because `subject` may be a complete device token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
