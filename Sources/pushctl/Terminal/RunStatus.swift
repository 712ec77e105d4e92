import PushCampaign
import PushTerminal

/// How a campaign stands: what its status area, its progress lines and its snapshot show.
struct RunStatus: Sendable {
    /// The time since the start.
    var seconds = 0.0
    var tally = Tally()
    /// Pushes that are written and not answered.
    var inFlight = 0
    /// Pushes that wait to be written.
    var waiting = 0
    /// Pushes that have timed out and may still be answered.
    var held = 0
    /// How much of the input is settled; nil if its size is unknown.
    var share: Double?
    /// Pushes per second, now.
    var rate = 0.0
    /// Pushes per second in the last minute, the newest last.
    var rates: [Double] = []
    /// When the input will be settled, in seconds, if all goes on as now.
    var secondsLeft: Double?
    var links = LinkStanding()
    /// Of a run that puts into a queue, and has no links; nil of one that pushes.
    var put: PutStanding?
    var stopping: Stopping?

    /// Asked to end.
    struct Stopping: Sendable, Equatable {
        var signal: StopSignal
        var underWay: Int
        /// How long pushes under way may still take.
        var seconds: Double
        /// Nothing is waited for any more.
        var isLeaving = false
    }

    init() {}

    /// How many records are done: put, or if outcomes are waited for, ended.
    var done: Int { put.map { $0.awaitsOutcomes ? tally.total : $0.tokens } ?? tally.total }

    /// Whether it gets on.
    var isUndisturbed: Bool { put.map { $0.hindrance == nil } ?? (links.up > 0) }

    /// None without a link, while nothing is answered, and once nothing is read any more.
    var estimate: Double? { stopping == nil && isUndisturbed && rate > 0 ? secondsLeft : nil }
}

/// What a run has put into a queue.
struct PutStanding: Sendable, Equatable {
    /// Where the queue is.
    var place = ""
    var tokens = 0
    var entries = 0
    /// Records that cannot be pushed.
    var invalid = 0
    /// Why nothing is put now; nil if something is.
    var hindrance: String?
    /// Whether the run goes on until each token has its outcome.
    var awaitsOutcomes = false
    /// Whether all is put.
    var isOver = false

    /// `12,288 tokens put in 48 entries`
    var text: String {
        let entries = Figures.counted(entries, one: "entry", many: "entries")
        return "\(Figures.counted(tokens, one: "token", many: "tokens")) put in \(entries)"
    }
}

/// The links of a connection or a pool.
struct LinkStanding: Sendable, Equatable {
    var endpoint = ""
    /// How many are up, and how many there may be now.
    var up = 0
    var total = 1
    /// For how many seconds none has been up; nil while one is.
    var downFor: Double?
    /// In how many seconds the next attempt begins; nil if one is under way, or none is needed.
    var nextAttempt: Double?
    /// Why the last one ended, or did not come up.
    var cause: String?
    /// In how many seconds without a link the run ends; nil if that is not known.
    var givesUpIn: Double?
    /// The server refuses the credential.
    var isRefused = false

    /// Whether something is wrong, and not only at its beginning.
    var isBroken: Bool { isRefused || downFor != nil && cause != nil }

    /// In words: `connecting for 0:02`, `link up`, `3 of 4 links up`, `no link for 0:12, gives up in 4:48; next attempt in 6 s`.
    var text: String {
        if isRefused { return "APNs refuses the credential" }
        guard let downFor else {
            guard total > 1 else { return "link up" }
            return "\(Figures.grouped(up)) of \(Figures.grouped(total)) links up"
        }
        let end = givesUpIn.map { ", gives up in \(Figures.clock(max(0, $0)))" } ?? ""
        guard cause != nil || nextAttempt != nil else { return "connecting for \(Figures.clock(downFor))\(end)" }
        let attempt = nextAttempt.map { "next attempt in \(Figures.wait($0))" } ?? "connecting"
        return "no link for \(Figures.clock(downFor))\(end); \(attempt)"
    }
}
