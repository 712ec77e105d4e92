import FoundationEssentials
import PushCampaign
import PushQueue
import PushTerminal

/// How full a queue is and which workers it has, for a person or for a script.
struct QueueReport {
    private let status: QueueStatus
    private let campaigns: [CampaignStanding]
    private let now: Date

    init(_ status: QueueStatus, campaigns: [CampaignStanding] = [], now: Date = Date()) {
        self.status = status
        // Those that are over are many, and change no more: queue campaigns has all.
        self.campaigns = campaigns.filter { $0.state != .done && ($0.state != .cancelled || $0.places.open > 0) }
        self.now = now
    }

    private var workers: [WorkerLine] { WorkerLine.all(of: status) }

    /// The age of the oldest waiting entry, in seconds.
    private var age: Double? { status.oldest.map { max(0, now.timeIntervalSince($0)) } }

    /// `the oldest for 3 min, 12 urgent`
    private var waiting: String {
        let oldest = age.map { "the oldest for \(Figures.span(Int64($0)))" }
        let urgent = status.urgent == 0 ? nil : "\(Figures.grouped(status.urgent)) urgent"
        return [oldest, urgent].compactMap(\.self).joined(separator: ", ")
    }

    var text: String {
        let cut = status.outcomesCut == 0 ? "" : "\(Figures.grouped(status.outcomesCut)) were removed unread"
        let rows: [CountTable.Row] = [
            ("waiting", status.waiting, waiting),
            ("delayed", status.delayed, ""), ("taken", status.taken, ""), ("dead", status.dead, ""),
            ("outcomes", status.outcomes, cut),
        ]
        // An ordinary queue has nothing to say of it.
        let steering =
            status.steering == QueueSteering() ? [] : ["the queue is \(Steering(value: status.steering).text)"]
        return
            (CountTable.lines(rows) + steering + campaigns.map { "campaign \(CampaignLine($0).text)" }
            + workers.map(\.text)).joined(separator: "\n")
    }

    var json: [UInt8] {
        var object = JSONLine()
        object.add("waiting", status.waiting)
        object.add("delayed", status.delayed)
        object.add("taken", status.taken)
        object.add("workers", workers.map(\.json))
        object.add("dead", status.dead)
        object.add("urgent", status.urgent)
        if let age { object.add("oldest_seconds", seconds: age) } else { object.add("oldest_seconds", nil as String?) }
        object.add("outcomes", status.outcomes)
        object.add("outcomes_cut", status.outcomesCut)
        object.add("max_outcomes", status.maxOutcomes)
        Steering(value: status.steering).add(to: &object)
        object.add("campaigns", campaigns.map { CampaignLine($0).object })
        return object.line
    }
}

/// What a queue knows of a worker.
struct WorkerLine: Equatable {
    let name: String
    let standing: WorkerStanding
    /// Whether another worker is alive, which takes over what this one has.
    let hasHeir: Bool

    /// A line for each worker, sorted by name.
    static func all(of status: QueueStatus) -> [WorkerLine] {
        let living = status.workers.filter { !$0.value.isDead }.count
        return status.workers.map { worker, standing in
            let others = standing.isDead ? living : living - 1
            return WorkerLine(name: worker.description, standing: standing, hasHeir: others > 0)
        }.sorted { $0.name < $1.name }
    }

    var isDead: Bool { standing.isDead }

    /// `worker web1-4711-0f3a91c25be47d86: 12 taken, silent for 40 s: dead, taken over soon`
    var text: String {
        let taken = "worker \(name): \(Figures.grouped(standing.taken)) taken"
        guard let silence = standing.silence else { return "\(taken), no heartbeat yet".onOneLine }
        let span = Figures.span(Int64(silence / .seconds(1)))
        guard isDead else {
            let state = standing.note.map { "; suspended: \($0)" } ?? ""
            return "\(taken), last heartbeat \(span) ago\(state)".onOneLine
        }
        let end =
            standing.taken == 0 ? "dead" : hasHeir ? "dead, taken over soon" : "dead, and no other worker takes it over"
        return "\(taken), silent for \(span): \(end)".onOneLine
    }

    var json: JSONLine {
        var object = JSONLine()
        object.add("name", name)
        object.add("taken", standing.taken)
        object.add("silent_seconds", seconds: standing.silence.map { $0 / .seconds(1) } ?? .infinity)
        object.add("dead", isDead)
        object.add("suspended", standing.note)
        return object
    }
}
