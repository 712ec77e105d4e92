import FoundationEssentials

/// How a push ended, as a value to store, to count and to pass on.
///
/// ```swift
/// let outcome = PushOutcome(result)
/// switch outcome.kind {
/// case .delivered: break
/// case .rejected where outcome.invalidates(registeredAt: registration): await forget(device)
/// case .rejected: log("rejected: \(outcome.reason ?? "")")
/// case .failed: await pushLater(device)
/// case .unknown: log("may have arrived")
/// }
/// ```
/// Its JSON has the names and values of `pushctl`'s rows. Times are whole seconds, rounded down, so that a device that
/// registered within that second does not count as gone.
public struct PushOutcome: Sendable, Hashable {
    /// The outcome in a word.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        /// APNs accepted it. Whether the device shows it is never reported.
        case delivered
        /// APNs rejected it.
        case rejected
        /// It was not sent, or APNs did not process it.
        case failed
        /// It may have been delivered.
        case unknown
    }

    /// The outcome in a word.
    public let kind: Kind
    /// What is known about it: `answered` if it was delivered or rejected.
    public let certainty: Certainty
    /// The HTTP status of an answer, 200 to 999; nil if there was none.
    public let status: Int?
    /// Why it was not delivered: of a rejection, APNs' own word, or `http_` and the status if there is none. For the others
    /// see ``PushError/reason``. Nil if it was delivered.
    public package(set) var reason: String?
    /// The id of the push.
    public let apnsID: APNSID?
    /// The time in a rejection, in whole seconds: since when the device token is not valid.
    public let timestamp: Date?
    /// Since when the device token is not valid, in whole seconds: ``timestamp``, or the time of the answer if APNs named
    /// none.
    ///
    /// Nil if APNs did not report the token, and after a `BadDeviceToken` that probably comes from the wrong environment:
    /// see ``suspectsEnvironment``.
    public let invalidatedAt: Date?
    /// How often it was written: 0 if never, or if that is not known; more than 1 if it was sent again.
    public package(set) var attempts: Int
    /// When it ended, in whole milliseconds; nil if that is not known.
    public package(set) var endedAt: Date?

    /// Makes an outcome of its parts, for tests, and for outcomes that you stored in a form of your own.
    ///
    /// - Parameters:
    ///   - kind: The outcome in a word.
    ///   - certainty: What is known about it. Nil: what follows from `kind`, for `failed` that it was not sent.
    ///   - status: The HTTP status of an answer.
    ///   - reason: Why it was not delivered.
    ///   - apnsID: The id of the push.
    ///   - timestamp: The time in a rejection. It is rounded down to whole seconds, as `invalidatedAt` is.
    ///   - invalidatedAt: Since when the device token is not valid. Nil: since `timestamp` after a 410.
    ///   - attempts: How often it was written.
    ///   - endedAt: When it ended. It is rounded to whole milliseconds.
    public init(
        _ kind: Kind, certainty: Certainty? = nil, status: Int? = nil, reason: String? = nil, apnsID: APNSID? = nil,
        timestamp: Date? = nil, invalidatedAt: Date? = nil, attempts: Int = 0, endedAt: Date? = nil
    ) {
        self.kind = kind
        self.certainty = certainty ?? kind.certainty
        self.status = status
        self.reason = reason
        self.apnsID = apnsID
        self.timestamp = timestamp.map { Date(unixSeconds: $0.unixSeconds) }
        self.invalidatedAt = (invalidatedAt ?? (status == 410 ? timestamp : nil)).map {
            Date(unixSeconds: $0.unixSeconds)
        }
        self.attempts = attempts
        self.endedAt = endedAt.map { Date(unixMilliseconds: $0.unixMilliseconds) }
    }
}

extension PushOutcome.Kind {
    fileprivate var certainty: Certainty {
        switch self {
        case .delivered, .rejected: .answered
        case .failed: .notSent
        case .unknown: .unknown
        }
    }
}

extension PushOutcome {
    /// Whether pushing it again cannot show it twice: true unless it was, or may have been, delivered.
    ///
    /// It does not say that pushing again helps. For a rejection see ``judges``.
    public var isSafeToRepeat: Bool {
        switch kind {
        case .rejected, .failed: true
        case .delivered, .unknown: false
        }
    }

    /// What a rejection is a judgement of: that of its reason, or of its status if the reason is not known. Nil for all
    /// other outcomes.
    ///
    /// After `device` and `push`, the same push would be rejected again. `sender` and `service` say nothing about them: the same
    /// push may be accepted later.
    public var judges: PushResponse.Subject? {
        guard kind == .rejected else { return nil }
        if let subject = reason.flatMap({ RejectionReason(rawValue: $0).judges }) { return subject }
        let written = reason.flatMap { $0.hasPrefix("http_") ? Int($0.dropFirst(5)) : nil }
        return (status ?? written).map { PushResponse.Subject(status: $0) }
    }

    /// Whether APNs reported the device token as invalid: 410, or 400 `BadDeviceToken`. What to do about it,
    /// ``invalidates(registeredAt:)`` says.
    public var isFeedback: Bool { status == 410 || reason == RejectionReason.badDeviceToken.rawValue }

    /// Whether this `BadDeviceToken` probably says that the connection uses the wrong environment, where no device token is
    /// known: see `FeedbackEvent.suspectsEnvironment`. Rows of versions that did not store this are suspect.
    public var suspectsEnvironment: Bool {
        reason == RejectionReason.badDeviceToken.rawValue && invalidatedAt == nil
    }

    /// Whether a device token that was registered at this time should be removed: if APNs reported it as invalid since a
    /// later time, and not because of the wrong environment. The same rule as that of `FeedbackEvent`.
    ///
    /// - Parameter date: When the token was registered; nil if you know no such token, and there is nothing to remove.
    public func invalidates(registeredAt date: Date?) -> Bool {
        guard isFeedback, let invalidatedAt, let date else { return false }
        return date < invalidatedAt
    }
}

extension PushOutcome: CustomStringConvertible {
    /// Its kind, its reason, and the certainty of a failure: `delivered`, `rejected (Unregistered)`,
    /// `failed (not_connected, not_sent)`.
    public var description: String {
        let details = [reason, kind == .failed ? certainty.rawValue : nil].compactMap(\.self)
        return details.isEmpty ? kind.rawValue : "\(kind.rawValue) (\(details.joined(separator: ", ")))"
    }
}
