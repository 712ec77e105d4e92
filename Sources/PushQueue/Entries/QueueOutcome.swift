import FoundationEssentials
import SupervisedPush

/// How the push to one device token of an entry ended. Each token gets one. A token of a cancelled entry gets none, and a
/// requeued dead letter can add another.
public struct QueueOutcome: Sendable, Hashable {
    /// The word of the row: what `pushctl bulk` writes, too.
    public enum Word: String, Sendable, Hashable, CaseIterable {
        /// APNs accepted it.
        case delivered
        /// APNs rejected it.
        case rejected
        /// It was not sent, or not processed.
        case failed
        /// It may have been delivered.
        case unknown
    }

    /// The entry.
    public let entry: EntryID
    /// The token's position in the entry, from 0.
    public let index: Int
    /// The token.
    public let token: DeviceToken
    /// What happened.
    public let word: Word
    /// The HTTP status of an answer.
    public let status: Int?
    /// APNs' reason, or the code of the error.
    public let reason: String?
    /// The id of the push.
    public let apnsID: APNSID?
    /// The time in APNs' answer: since when the token is not valid (410).
    public let timestamp: Date?
    /// How often this worker wrote it.
    public let attempts: Int
    /// What is known about it.
    public let certainty: Certainty
    /// Since when the token is not valid, in whole seconds: the time in APNs' answer, or that of the answer if it has
    /// none.
    ///
    /// Nil if APNs did not report the token, and after a `BadDeviceToken` that probably comes from the wrong environment:
    /// see ``suspectsEnvironment``.
    public let invalidatedAt: Date?

    /// Makes an outcome. Without `invalidatedAt`, the token is not valid since `timestamp` after a 410, and nothing is
    /// known after all other answers.
    public init(
        entry: EntryID, index: Int, token: DeviceToken, _ word: Word, _ certainty: Certainty, status: Int? = nil,
        reason: String? = nil, apnsID: APNSID? = nil, timestamp: Date? = nil, attempts: Int = 0,
        invalidatedAt: Date? = nil
    ) {
        self.entry = entry
        self.index = index
        self.token = token
        self.word = word
        self.certainty = certainty
        self.status = status
        self.reason = reason
        self.apnsID = apnsID
        self.timestamp = timestamp
        self.attempts = attempts
        self.invalidatedAt = invalidatedAt ?? (status == 410 ? timestamp : nil)
    }

    /// Whether APNs reported the token as invalid: 410, or 400 `BadDeviceToken`. What to do about it,
    /// ``invalidates(registeredAt:)`` says.
    public var isFeedback: Bool { status == 410 || reason == "BadDeviceToken" }

    /// Whether this `BadDeviceToken` probably says that the worker uses the wrong environment, where no device token is
    /// known: see `FeedbackEvent.suspectsEnvironment`. Rows of versions that did not store this are suspect.
    public var suspectsEnvironment: Bool { reason == "BadDeviceToken" && invalidatedAt == nil }

    /// Whether a token that was registered at this time should be removed: if APNs reported it as invalid since a later
    /// time, and not because of the wrong environment. The same rule as that of `FeedbackEvent`.
    public func invalidates(registeredAt date: Date) -> Bool {
        guard isFeedback, let invalidatedAt else { return false }
        return date < invalidatedAt
    }
}
