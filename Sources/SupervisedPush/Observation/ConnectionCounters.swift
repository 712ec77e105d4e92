/// What a connection has counted since its name began, including restarts of its process.
///
/// Every accepted push ends in exactly one of ``accepted``, ``rejected``, ``notSent``, ``unprocessed`` and ``unknown``.
public struct ConnectionCounters: Sendable, Hashable, Codable {
    /// Pushes answered with status 200.
    public internal(set) var accepted = 0
    /// Pushes answered with another status.
    public internal(set) var rejected = 0
    /// Of the rejected pushes: how many for each reason, by APNs' text. `other` stands for texts that this version does
    /// not know, `none` for answers without a reason.
    public internal(set) var rejections: [String: Int] = [:]
    /// Of the rejected pushes: how many for each HTTP status, such as 400 and 410.
    public internal(set) var rejectionsByStatus: [Int: Int] = [:]
    /// Pushes that ended without an answer; no byte was sent.
    public internal(set) var notSent = 0
    /// Pushes that ended without an answer; certainly not processed.
    public internal(set) var unprocessed = 0
    /// Pushes that ended without an answer; possibly processed.
    public internal(set) var unknown = 0

    /// Of the pushes without an answer: how many ended because their time was over.
    public internal(set) var timedOut = 0
    /// Pushes that the call refused because the queue was full. They were never taken in.
    public internal(set) var overloaded = 0
    /// Of the pushes without an answer: how many were dropped to make room, see ``WhenFull/dropOldest``.
    public internal(set) var dropped = 0
    /// Requests written again.
    public internal(set) var resent = 0
    /// Of the rejected pushes: how many were not retried because the retry budget was used up, see
    /// `RetryHeldBack.budget`.
    public internal(set) var heldBackByBudget = 0
    /// Of the rejected pushes: how many were not retried because APNs failed too often, see `RetryHeldBack.breaker`.
    public internal(set) var heldBackByBreaker = 0
    /// Answers that arrived after their push was reported as unknown.
    public internal(set) var lateAnswers = 0
    /// Streams that APNs reset.
    public internal(set) var resets = 0

    /// Attempts to connect.
    public internal(set) var dials = 0
    /// Links that came up.
    public internal(set) var linksUp = 0
    /// Links that broke, attempts that failed, and links and attempts that were abandoned.
    public internal(set) var linksLost = 0
    /// Pauses before another attempt: the `reconnecting` messages.
    public internal(set) var reconnects = 0
    /// GOAWAY frames.
    public internal(set) var goAways = 0
    /// Refusals of a credential: the `suspended` messages.
    public internal(set) var suspensions = 0
    /// Processes after the first one.
    public internal(set) var restarts = 0

    /// Feedback events dropped because the handler is too slow.
    public internal(set) var feedbackDropped = 0
    /// Fire-and-forget pushes that ended without an answer and could not be handed back to an owner.
    public internal(set) var handBacksLost = 0

    /// Nothing counted yet.
    public init() {}

    /// Pushes that ended, in any way.
    public var ended: Int { accepted + rejected + notSent + unprocessed + unknown }
}

extension ConnectionCounters {
    mutating func count(_ outcome: OutcomeReceiver.Outcome) {
        switch outcome {
        case .success(let response):
            guard !response.isSuccess else { return accepted += 1 }
            rejected += 1
            rejections[response.reasonLabel, default: 0] += 1
            rejectionsByStatus[response.status, default: 0] += 1
            switch response.retryHeldBack {
            case .budget: heldBackByBudget += 1
            case .breaker: heldBackByBreaker += 1
            default: break
            }
        case .failure(let error):
            switch error.certainty {
            case .notSent: notSent += 1
            case .unprocessed: unprocessed += 1
            case .unknown, .answered: unknown += 1
            }
            if error.code == .timedOut { timedOut += 1 }
            if error.code == .dropped { dropped += 1 }
        }
    }

    /// Written out for speed: it runs once per burst.
    mutating func add(_ other: Self) {
        accepted += other.accepted
        rejected += other.rejected
        if !other.rejections.isEmpty {
            rejections.merge(other.rejections, uniquingKeysWith: +)
            rejectionsByStatus.merge(other.rejectionsByStatus, uniquingKeysWith: +)
        }
        notSent += other.notSent
        unprocessed += other.unprocessed
        unknown += other.unknown
        timedOut += other.timedOut
        overloaded += other.overloaded
        dropped += other.dropped
        resent += other.resent
        heldBackByBudget += other.heldBackByBudget
        heldBackByBreaker += other.heldBackByBreaker
        lateAnswers += other.lateAnswers
        resets += other.resets
        dials += other.dials
        linksUp += other.linksUp
        linksLost += other.linksLost
        reconnects += other.reconnects
        suspensions += other.suspensions
        goAways += other.goAways
        restarts += other.restarts
        feedbackDropped += other.feedbackDropped
        handBacksLost += other.handBacksLost
    }
}

extension PushResponse {
    /// The reason as a word of a bounded set, suitable as a metric's label.
    var reasonLabel: String {
        guard let reason else { return "none" }
        return reason.isKnown ? reason.rawValue : "other"
    }
}
