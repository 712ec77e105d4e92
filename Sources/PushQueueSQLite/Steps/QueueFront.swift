import PushQueue

/// An entry that can be taken.
struct Candidate {
    let number: Int64
    let count: Int
    /// Whether it was never taken, and is in no table but `entries`.
    var isFresh = false
    /// What is stored of it, if it was read already.
    var fields: [EntryField]?
    var offered = 0
    var settled = ""
    var doubts = 0
    var retries = 0
    var hold: QueueCampaign.Hold?
    /// Its campaign, if that is held or has a rate.
    var campaign: String?
}

/// An entry that could be taken, if its campaign were not held, or its rate permitted it.
struct HeldEntry {
    let number: Int64
    /// Its `later.due` from now on; nil if it is removed.
    let due: Int64?
    let campaign: String
    /// How many of its tokens have no outcome.
    let tokens: Int
}

/// The front of a lane: as many entries as fit, and the next one.
struct QueueFront {
    private(set) var entries: [Candidate] = []
    /// How many open tokens each of them has.
    private(set) var tokens: [Int] = []
    /// How many more tokens fit.
    private(set) var room: Int
    /// What the rates of campaigns permit after these entries.
    private(set) var paces: CampaignPaces
    /// Those of campaigns of which nothing is taken.
    var held: [HeldEntry] = []
    /// Up to which number all that is fresh is among the entries.
    var freshEnd: Int64 = 0

    /// How many entries of held campaigns of a lane one take moves.
    private static let mostHeld = 1_000

    init(room: Int, _ paces: CampaignPaces) { (self.room, self.paces) = (room, paces) }

    /// The others that are held follow in the next take: each is a write, and all are one step.
    var isFull: Bool { room <= 0 || held.count >= Self.mostHeld }

    mutating func add(_ entry: Candidate, open: Int) {
        entries.append(entry)
        tokens.append(open)
        room -= open
        paces.charge(open, to: entry.campaign)
    }

    /// Adds what others have: the entry that was put first is the first one.
    mutating func add(_ others: [QueueFront]) {
        held += others.flatMap(\.held)
        freshEnd = others.map(\.freshEnd).max() ?? freshEnd
        let all = others.flatMap { zip($0.entries, $0.tokens) }.sorted { $0.0.number < $1.0.number }
        for (entry, open) in all {
            if room > 0 {
                add(entry, open: open)
            } else if entry.isFresh {
                freshEnd = entry.number - 1
                break
            }
        }
    }

    /// Up to which number there is nothing fresh, now and later, once these entries are taken.
    func passed(taking chosen: Set<Int>) -> Int64 {
        let left = entries.indices.first { entries[$0].isFresh && !chosen.contains($0) }
        return left.map { entries[$0].number - 1 } ?? freshEnd
    }
}
