/// The news that a device token is no longer valid, derived from the answer to a push.
///
/// It comes for 410 `Unregistered`, 410 `ExpiredToken` and 400 `BadDeviceToken`, and for nothing else.
public struct FeedbackEvent: Sendable {
    /// Where the time comes from.
    public enum Basis: Hashable, Sendable {
        /// APNs gave the time since which the token is invalid.
        case reported
        /// APNs gave no time, as for `BadDeviceToken`: it is the time of the answer.
        case observed
    }

    /// The name of the connection; nil for an anonymous one.
    public let connectionName: String?
    /// What the event is about: the apns-id if the caller gave one with the push, else all digits of the device token.
    public let subject: String
    /// The device token that is invalid.
    public let deviceToken: DeviceToken
    /// The apns-id of the push, whoever made it.
    public let apnsID: APNSID?
    /// Why it is invalid.
    public let reason: RejectionReason
    /// Since when it is invalid, in seconds since 1970 UTC. Remove the token only if it was registered before.
    public let invalidatedAt: Int64
    /// The time as APNs gave it, in milliseconds since 1970 UTC; nil if it gave none.
    public let invalidatedAtMilliseconds: Int64?
    /// Whether APNs gave the time.
    public let basis: Basis
    /// What the caller gave along with the push.
    public let context: (any Sendable)?
    /// Whether the connection probably talks to the wrong environment, where no device token is known. Then check that first, and
    /// remove nothing.
    ///
    /// It is set while more than half of the last 100 answers are `BadDeviceToken`, and 50 at least have come, since the connection took
    /// its credential. The connections of a pool are judged together. Every answer counts, those of accepted pushes and of pushes
    /// to other devices included, and this event's own. Answers that arrive together are counted before the first of them is told.
    public var suspectsEnvironment: Bool

    /// Whether a device token that was registered at this time, in seconds since 1970 UTC, is one to remove.
    ///
    /// It is if it was registered before ``invalidatedAt``: an app that was installed again has registered it anew. And it is not
    /// while the connection probably talks to the wrong environment (``suspectsEnvironment``).
    public func invalidates(registeredAt seconds: Int64) -> Bool { !suspectsEnvironment && seconds < invalidatedAt }

    /// Derives the event of an answer; nil if the answer says nothing against the device token.
    ///
    /// - Parameters:
    ///   - callerID: the apns-id the caller gave (`APNSIDPolicy.fixed`), nil otherwise.
    ///   - sentID: the apns-id that was sent; where none was, the answer's is taken.
    ///   - answeredAt: the time of the answer, in milliseconds since 1970 UTC.
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

    /// Rounded down, so that a token registered within that second is not removed.
    private static func seconds(_ milliseconds: Int64) -> Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension FeedbackEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Reason, shortened device token and time; nothing of the context.
    public var description: String {
        "\(reason): \(deviceToken), invalid since \(invalidatedAt) (\(basis))"
    }

    /// The same as `description`.
    public var debugDescription: String { "FeedbackEvent(\(description))" }

    /// Nothing beyond the description: `subject` may be a whole device token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
