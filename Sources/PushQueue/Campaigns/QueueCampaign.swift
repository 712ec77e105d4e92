import FoundationEssentials

/// What a queue keeps of a campaign: what was put, by whom, and when. It stays after the entries are gone, so that a campaign
/// that is put again adds nothing.
public struct QueueCampaign: Sendable, Hashable, Codable {
    /// One time that the campaign, or a part of it, was put in.
    public struct Round: Sendable, Hashable, Codable {
        /// See ``CampaignInput/redo``; nil for the first time.
        public let redo: String?
        /// Who began it.
        public let author: String
        /// When it was begun, by the clock of the store or of the process that put it.
        public let begun: Date
        /// The last line that was put.
        public fileprivate(set) var line = 0
        /// Whether all of it is in the queue.
        public fileprivate(set) var isWhole = false
        /// How many entries were put, and how many tokens they have.
        public fileprivate(set) var entries = 0
        /// How many tokens were put.
        public fileprivate(set) var tokens = 0
    }

    /// Why nothing of a campaign is taken.
    @nonexhaustive public enum Hold: String, Sendable, Hashable, Codable {
        /// It goes on when it is resumed.
        case paused
        /// For good: a cancelled name stays cancelled.
        case cancelled
    }

    /// How many campaigns a queue keeps. With more, the oldest one that is not held and has no rate is forgotten.
    public static let most = 1_000
    /// How often a campaign can be put, all redos included.
    public static let mostRounds = 100

    /// Its name.
    public let name: CampaignName
    /// The hash of its file.
    public let records: String
    /// The first time, and then each redo.
    public private(set) var rounds: [Round]
    /// Why nothing of it is taken; nil if it is.
    public private(set) var hold: Hold?
    /// How fast all workers together take its tokens at most; nil for no limit.
    public private(set) var rate: QueueRate?

    /// A campaign of which nothing is put yet.
    package init(_ name: CampaignName, _ input: CampaignInput, at now: Date) {
        (self.name, records) = (name, input.records)
        rounds = [Round(redo: nil, author: input.author, begun: now)]
    }

    /// How many tokens were put, each redo included.
    public var tokens: Int { rounds.reduce(0) { $0 + $1.tokens } }
    /// How many entries were put.
    public var entries: Int { rounds.reduce(0) { $0 + $1.entries } }
    /// Whether all that was begun is in the queue.
    public var isWhole: Bool { rounds.allSatisfy(\.isWhole) }
    /// When it was begun.
    public var begun: Date { rounds.first?.begun ?? .distantPast }
    /// Who began it.
    public var author: String { rounds.first?.author ?? "" }

    // MARK: What may be put

    /// Where an input goes on. An input that was never begun is begun.
    ///
    /// - Throws: `refused` for another file, and for a redo of a campaign that was never put; `full` after too many redos.
    package mutating func begin(_ input: CampaignInput, at now: Date) throws(QueueError) -> CampaignPlace {
        guard hold != .cancelled else { throw isCancelled }
        guard input.records == records else {
            throw QueueError(
                .refused,
                "The campaign \(name) was begun with another file, by \(author). Put that file, or give this one another "
                    + "name.")
        }
        if let round = rounds.firstIndex(where: { $0.redo == input.redo }) { return place(round) }
        guard rounds.count < Self.mostRounds else {
            throw QueueError(
                .full, "The campaign \(name) was put \(rounds.count) times; a queue keeps no more. Use another name.")
        }
        rounds.append(Round(redo: input.redo, author: input.author, begun: now))
        return place(rounds.count - 1)
    }

    private func place(_ round: Int) -> CampaignPlace {
        CampaignPlace(name, round: round, line: rounds[round].line, isWhole: rounds[round].isWhole)
    }

    /// Notes that a batch is put.
    ///
    /// - Returns: False if it was put before.
    /// - Throws: `refused` if it is not the next one.
    package mutating func add(_ batch: CampaignBatch, _ entries: [QueueEntry]) throws(QueueError) -> Bool {
        guard hold != .cancelled else { throw isCancelled }
        guard rounds.indices.contains(batch.place.round) else { throw Self.unknown(name) }
        var round = rounds[batch.place.round]
        if round.isWhole || (round.line >= batch.through && !batch.isLast) { return false }
        guard round.line == batch.place.line else {
            throw QueueError(
                .refused,
                "Another process puts the campaign \(name), and is at line \(round.line). Let it go on, or put the "
                    + "campaign again when it has ended: what is in the queue is not put twice.")
        }
        (round.line, round.isWhole) = (batch.through, batch.isLast)
        round.entries += entries.count
        round.tokens += entries.reduce(0) { $0 + $1.tokens.count }
        rounds[batch.place.round] = round
        return true
    }

    /// Pauses it, lets it go on, sets its rate, or cancels it, which ends its rate.
    ///
    /// - Throws: `refused` if it was cancelled, and is not cancelled again.
    package mutating func obey(_ order: CampaignOrder) throws(QueueError) {
        guard hold != .cancelled || order == .cancel else { throw isCancelled }
        switch order {
        case .pause: hold = .paused
        case .resume: hold = nil
        case .cancel: (hold, rate) = (.cancelled, nil)
        case .rate(let rate): self.rate = rate
        }
    }

    private var isCancelled: QueueError {
        QueueError(
            .refused, "The campaign \(name) was cancelled, and a cancelled name stays so. Put it under another name.")
    }

    /// A batch of a campaign that was not begun, or is forgotten.
    package static func unknown(_ name: CampaignName) -> QueueError {
        QueueError(.refused, "The queue has no campaign \(name). Begin it again.")
    }

    /// A redo of a campaign that is not there.
    package static func isMissing(_ name: CampaignName) -> QueueError {
        QueueError(
            .refused,
            "The queue has no campaign \(name), so nothing of it can be pushed again. Give the name under which it was put."
        )
    }

    // MARK: As a text

    /// As a store keeps it: one line of JSON.
    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .secondsSince1970
        // Texts, numbers and dates of finite numbers can be encoded.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// - Throws: `failed` if it is not such a text, or has no round.
    package init(text: String) throws(QueueError) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        guard let campaign = try? decoder.decode(QueueCampaign.self, from: Data(text.utf8)), !campaign.rounds.isEmpty
        else {
            throw QueueError(
                .failed, "What the queue keeps of a campaign cannot be read. Look for another writer of it.")
        }
        self = campaign
    }
}

/// The campaigns of a queue, in the memory of a process.
package struct CampaignLedger: Sendable {
    private var campaigns: [CampaignName: QueueCampaign] = [:]
    /// How many are held.
    private var holds: [QueueCampaign.Hold: Int] = [:]
    /// How many have a rate.
    private var rates = 0

    package init() {}

    /// The oldest first.
    package var all: [QueueCampaign] {
        campaigns.values.sorted { ($0.begun, $0.name.description) < ($1.begun, $1.name.description) }
    }

    /// Whether one is paused, and whether one was cancelled.
    package var hasHolds: Bool { hasPauses || hasCancellations }
    package var hasPauses: Bool { holds[.paused, default: 0] > 0 }
    package var hasCancellations: Bool { holds[.cancelled, default: 0] > 0 }
    /// Whether one has a rate.
    package var hasRates: Bool { rates > 0 }

    package subscript(name: CampaignName) -> QueueCampaign? {
        get { campaigns[name] }
        set {
            if let hold = campaigns[name]?.hold { holds[hold, default: 0] -= 1 }
            if let hold = newValue?.hold { holds[hold, default: 0] += 1 }
            rates += (newValue?.rate == nil ? 0 : 1) - (campaigns[name]?.rate == nil ? 0 : 1)
            campaigns[name] = newValue
        }
    }

    package mutating func begin(
        _ name: CampaignName, _ input: CampaignInput, at now: Date
    ) throws(QueueError) -> CampaignPlace {
        if campaigns[name] == nil, input.redo != nil { throw QueueCampaign.isMissing(name) }
        var campaign = campaigns[name] ?? QueueCampaign(name, input, at: now)
        let place = try campaign.begin(input, at: now)
        if campaigns[name] == nil, campaigns.count >= QueueCampaign.most {
            // One that is held is what holds its entries, and one that has a rate is what slows them.
            guard let oldest = all.first(where: { $0.hold == nil && $0.rate == nil }) else {
                throw QueueError(
                    .full,
                    "The queue keeps \(QueueCampaign.most) campaigns, and each of them is paused, cancelled or has a rate. "
                        + "Resume those that are over, end their rates, or use another queue.")
            }
            self[oldest.name] = nil
        }
        self[name] = campaign
        return place
    }
}
