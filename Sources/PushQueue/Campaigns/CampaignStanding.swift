import SupervisedPush

/// How a campaign stands. All numbers count tokens.
public struct CampaignStanding: Sendable, Hashable {
    /// What becomes of a campaign.
    @nonexhaustive public enum State: String, Sendable, Hashable {
        /// Something of it may still be pushed, or put.
        case running
        /// Nothing of it is taken until it is resumed.
        case paused
        /// It was cancelled. What a worker has sent gets its answer.
        case cancelled
        /// All of it was put, and no token waits or is with a worker.
        case done
    }

    /// What was put.
    public let campaign: QueueCampaign
    /// Where the tokens are that have no outcome yet.
    public var places: CampaignPlaces
    /// The outcomes that were stored.
    public var outcomes: CampaignOutcomes

    /// Makes a standing.
    public init(
        _ campaign: QueueCampaign, places: CampaignPlaces = CampaignPlaces(),
        outcomes: CampaignOutcomes = CampaignOutcomes()
    ) {
        (self.campaign, self.places, self.outcomes) = (campaign, places, outcomes)
    }

    /// Its state.
    public var state: State {
        if campaign.hold == .cancelled { return .cancelled }
        if campaign.isWhole, places.open == 0 { return .done }
        return campaign.hold == .paused ? .paused : .running
    }
}

/// Where the tokens of a campaign are that have no outcome yet.
public struct CampaignPlaces: Sendable, Hashable {
    /// They can be taken.
    public var waiting = 0
    /// They wait for a time that their producer gave.
    public var scheduled = 0
    /// APNs asked for them later, and they wait for that time.
    public var retrying = 0
    /// A worker has them.
    public var taken = 0

    /// No token is anywhere.
    public init() {}

    /// All of them.
    public var open: Int { waiting + scheduled + retrying + taken }

    /// Adds tokens that wait for a time, or did.
    ///
    /// - Parameters:
    ///   - isDue: Whether the time has come.
    ///   - retries: How often the entry was postponed because APNs asked for it.
    package mutating func add(_ tokens: Int, isDue: Bool, retries: Int) {
        if isDue { waiting += tokens } else if retries > 0 { retrying += tokens } else { scheduled += tokens }
    }
}

/// The outcomes of a campaign. Each row counts: a dead letter that is put back can have two for a token.
public struct CampaignOutcomes: Sendable, Hashable {
    /// How many were delivered.
    public private(set) var delivered = 0
    /// How many were rejected, by their reasons. A reason that is no word counts as `other`.
    public private(set) var rejected: [String: Int] = [:]
    /// How many failed.
    public private(set) var failed = 0
    /// How many are unknown.
    public private(set) var unknown = 0
    /// How many were taken out by a cancellation. They have no row.
    public private(set) var cancelled = 0

    /// No outcome.
    public init() {}

    /// How many rows there are.
    public var count: Int { delivered + rejected.values.reduce(0, +) + failed + unknown }

    /// Adds an outcome.
    package mutating func add(_ outcome: PushOutcome) {
        switch outcome.kind {
        case .delivered: delivered += 1
        case .rejected: rejected[Self.word(outcome.reason), default: 0] += 1
        case .failed: failed += 1
        case .unknown: unknown += 1
        }
    }

    /// The numbers by the words under which stores keep them: `delivered`, `rejected:Unregistered`.
    package var words: [(word: String, count: Int)] {
        let all = [("delivered", delivered), ("failed", failed), ("unknown", unknown), ("cancelled", cancelled)]
        let reasons = rejected.sorted { $0.key < $1.key }.map { ("rejected:\($0.key)", $0.value) }
        return (all + reasons).filter { $0.1 > 0 }.map { (word: $0.0, count: $0.1) }
    }

    /// Adds a number under such a word; any other one is not counted.
    package mutating func add(_ number: Int, as word: String) {
        switch word {
        case "delivered": delivered += number
        case "failed": failed += number
        case "unknown": unknown += number
        case "cancelled": cancelled += number
        default:
            guard word.hasPrefix("rejected:") else { return }
            rejected[Self.word(String(word.dropFirst(9))), default: 0] += number
        }
    }

    /// A reason of letters, digits and low lines.
    private static func word(_ reason: String?) -> String {
        guard let reason, 1...64 ~= reason.utf8.count, reason.utf8.allSatisfy(isWord) else { return "other" }
        return reason
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return byte == UInt8(ascii: "_") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || letters ~= byte | 0x20
    }
}
