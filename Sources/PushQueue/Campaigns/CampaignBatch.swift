/// What is put into a campaign: a file, or what is pushed again of it.
public struct CampaignInput: Sendable, Hashable {
    /// A hash of the file, by which another one under the same name is found.
    public var records: String
    /// A hash of what says which records are pushed again. Nil, the default: all records are pushed, for the first time.
    public var redo: String?
    /// Who puts it in: a few words for those who look at the queue.
    public var author: String

    /// Describes an input.
    public init(records: String, redo: String? = nil, author: String) {
        (self.records, self.redo, self.author) = (records, redo, author)
    }
}

/// How much of an input is in the queue.
public struct CampaignPlace: Sendable, Hashable {
    /// The campaign.
    public var campaign: CampaignName
    /// 0 for the first time, then the number of the redo.
    public var round: Int
    /// The last line that was put; 0 if none was.
    public var line: Int
    /// Whether all of the input is in the queue.
    public var isWhole: Bool

    /// Makes a place.
    public init(_ campaign: CampaignName, round: Int, line: Int, isWhole: Bool) {
        (self.campaign, self.round, self.line, self.isWhole) = (campaign, round, line, isWhole)
    }
}

/// The records of a campaign between two lines, which are put in together.
public struct CampaignBatch: Sendable, Hashable {
    /// Where the batch begins: what is put up to there.
    public let place: CampaignPlace
    /// The last line of the batch, whether or not its record can be pushed.
    public let through: Int
    /// Whether nothing follows it.
    public let isLast: Bool

    /// Describes a batch.
    public init(after place: CampaignPlace, through line: Int, isLast: Bool) {
        (self.place, through, self.isLast) = (place, max(line, place.line), isLast)
    }

    /// The place behind it.
    public var end: CampaignPlace {
        CampaignPlace(place.campaign, round: place.round, line: through, isWhole: isLast)
    }

    /// The name of the entry whose first token has this line.
    public func id(ofLine line: Int) -> EntryID {
        EntryID(campaign: place.campaign, round: place.round, line: line)
    }

    /// The entries as those of the campaign.
    package func marked(_ entries: [QueueEntry]) -> [QueueEntry] {
        entries.map { entry in
            var entry = entry
            entry.campaign = place.campaign
            return entry
        }
    }
}
