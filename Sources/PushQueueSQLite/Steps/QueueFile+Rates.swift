import PushQueue
import PushSQLite

/// The rate of a campaign, and what was charged to it.
struct CampaignPace {
    let name: String
    let rate: QueueRate
    /// `later.due` of what waits for the rate.
    let aside: Int64
    let isHeld: Bool
    /// Up to when its tokens are charged, in UNIX nanoseconds, as it is stored.
    let stored: Int64
    /// Up to when they are charged by now.
    var charged: Int64

    init(name: String, rate: QueueRate, aside: Int64, isHeld: Bool, stored: Int64, now: Int64) {
        (self.name, self.rate, self.aside, self.isHeld) = (name, rate, aside, isHeld)
        (self.stored, charged) = (stored, rate.bounded(stored, now: now))
    }
}

/// The rates of the campaigns of a queue at one time.
struct CampaignPaces {
    private var byName: [String: CampaignPace] = [:]
    /// UNIX nanoseconds.
    private let now: Int64

    init(now: Int64) { self.now = now }

    var isEmpty: Bool { byName.isEmpty }

    subscript(name: String) -> CampaignPace? {
        get { byName[name] }
        set { byName[name] = newValue }
    }

    /// In how many nanoseconds it is worth asking for a token again; 0 if one is permitted.
    func wait(_ pace: CampaignPace) -> Int64 { pace.rate.wait(stored: pace.charged, now: now) }

    /// Whether a campaign may have a token.
    func permits(_ name: String?) -> Bool { name.flatMap { byName[$0] }.map { wait($0) == 0 } ?? true }

    mutating func charge(_ tokens: Int, to name: String?) {
        guard let name, var pace = byName[name] else { return }
        pace.rate.charge(tokens, stored: &pace.charged, now: now)
        byName[name] = pace
    }

    /// Those that are not held.
    var running: [CampaignPace] { byName.values.filter { !$0.isHeld } }

    /// Those that may have a token.
    var open: [CampaignPace] { running.filter { wait($0) == 0 } }

    /// Those of which something else is stored.
    var changed: [CampaignPace] { byName.values.filter { $0.charged != $0.stored } }
}

/// Campaigns with a rate. What waits of one has a `later.due` of its own, so that taking passes over nothing.
extension QueueFile {
    /// By their names. Without one, this is a look-up in an index.
    func paces() throws -> CampaignPaces {
        try sql.paces.bind(1, queue)
        defer { sql.paces.reset() }
        let now = nanoseconds()
        var paces = CampaignPaces(now: now)
        while try sql.paces.step() {
            let (name, words) = (sql.paces.string(0), sql.paces.string(1).split(separator: " "))
            guard words.count == 2, let perSecond = Double(words[0]), let burst = Int(words[1]) else { continue }
            paces[name] = CampaignPace(
                name: name, rate: QueueRate(perSecond: perSecond, burst: burst), aside: sql.paces.integer(2),
                isHeld: sql.paces.text(3) != nil, stored: sql.paces.integer(4), now: now)
        }
        return paces
    }

    /// The text of a rate in the file.
    static func text(_ rate: QueueRate) -> String { "\(rate.perSecond) \(rate.burst)" }

    func setCharged(_ pace: CampaignPace) throws {
        try sql.setCharged.bind(3, pace.charged)
        try run(sql.setCharged, with: pace.name)
    }

    /// Where what waits of a campaign is; nil if it has no rate.
    func aside(_ name: CampaignName) throws -> Int64? { try paces()[name.description]?.aside }

    /// Begins a rate: the first one of a campaign comes with a `later.due` of its own.
    func beginRate(_ rate: QueueRate, of name: CampaignName) throws {
        let update = try database.prepare(
            """
            UPDATE campaigns SET
            aside = (SELECT ifnull(min(aside), \(QueueSchema.paused)) - 1 FROM campaigns WHERE queue = ?1)
            WHERE queue = ?1 AND name = ?2 AND aside IS NULL
            """)
        try run(update, with: name.description)
        guard var pace = try paces()[name.description] else { return }
        pace.charged = rate.bounded(pace.charged, isNew: true, now: nanoseconds())
        try setCharged(pace)
    }

    /// Lets what waits for the rate of a campaign be taken without it.
    func endRate(of name: CampaignName, _ aside: Int64, isPaused: Bool) throws {
        let move = try database.prepare(
            "UPDATE later SET due = ?2 WHERE queue = ?1 AND urgent IN (0, 1) AND due = ?3")
        try move.bind(1, queue)
        try move.bind(2, isPaused ? QueueSchema.paused : 0)
        try move.bind(3, aside)
        try move.run()
        let forget = try database.prepare(
            "UPDATE campaigns SET aside = NULL, charged = 0 WHERE queue = ?1 AND name = ?2")
        try run(forget, with: name.description)
    }

    /// In how many milliseconds the rate of a campaign permits something of what waits for it; nil if nothing does.
    func nextAtRate() throws -> Int64? {
        let paces = try paces()
        return try paces.running.compactMap { pace -> Int64? in
            try sql.hasAside.bind(1, queue)
            try sql.hasAside.bind(2, pace.aside)
            defer { sql.hasAside.reset() }
            guard try sql.hasAside.step() else { return nil }
            return (paces.wait(pace) + 999_999) / 1_000_000
        }.min()
    }
}
