import PushQueueRedis
import PushTerminal

/// Judges the server of a queue.
struct RedisJudge {
    /// A round trip that takes longer makes workers slow: each slice of an entry needs one.
    private static let slowTrip = Duration.milliseconds(20)
    /// `--not-before` and `--deadline` go by the server's clock.
    private static let clockTolerance = 5.0

    private let facts: RedisQueueFacts
    private let place: String
    private let name: String

    init(_ facts: RedisQueueFacts, _ queue: QueueFacts) {
        self.facts = facts
        place = queue.place
        name = queue.name
    }

    var verdicts: [QueueVerdict] {
        [connect, server, rights, policy, durability, memory, delay, clock, queue]
    }

    private var connect: QueueVerdict {
        let detail = "\(place): connected and logged in"
        guard !facts.sentinels.isEmpty, let address = facts.address else {
            let node = facts.address.map { $0 == place ? "" : "; the queue is on the node \($0)" } ?? ""
            return QueueVerdict(.connect, is: .ok, detail: detail + node, after: facts.connecting)
        }
        var (problems, agreeing) = ([String](), 0)
        for sentinel in facts.sentinels {
            switch sentinel.primary {
            case .success(address): agreeing += 1
            case .success(let other): problems.append("the Sentinel \(sentinel.place) names \(other)")
            case .failure(let error): problems.append("the Sentinel \(sentinel.place) does not: \(error)")
            }
        }
        let names = "\(detail); the primary is \(address), as \(agreeing) of \(facts.sentinels.count) Sentinels say"
        guard !problems.isEmpty else { return QueueVerdict(.connect, is: .ok, detail: names, after: facts.connecting) }
        return QueueVerdict(
            .connect, is: .warning, detail: ([names] + problems).joined(separator: "; "), after: facts.connecting,
            advice: "Check the Sentinels that do not answer, and those that name another primary.")
    }

    private func number(_ key: String) -> Int64? { facts.info[key].flatMap { Int64($0) } }

    // MARK: The server

    private var server: QueueVerdict {
        let version = facts.info["redis_version"] ?? "unknown"
        let own = facts.info["valkey_version"].map { "Valkey \($0)" } ?? "Redis \(version)"
        let major = version.split(separator: ".").first.flatMap { Int($0) } ?? 0
        guard major >= 7 else {
            return QueueVerdict(
                .server, is: .fail, detail: own, advice: "A queue needs Redis 7.0 or Valkey 7.2, or later.")
        }
        guard facts.info["role"] == "master" else {
            return QueueVerdict(
                .server, is: .fail, detail: "\(own), a replica of \(facts.info["master_host"] ?? "another server")",
                advice: "Name its primary; after a failover, wait until it is one.", status: .unavailable)
        }
        let replicas = number("connected_slaves") ?? 0
        let names = replicas == 0 ? "no replica" : replicas == 1 ? "1 replica" : "\(replicas) replicas"
        return QueueVerdict(.server, is: .ok, detail: "\(own), primary, \(names)")
    }

    private var rights: QueueVerdict {
        if let problem = facts.rightsProblem { return QueueVerdict(.rights, is: .fail, detail: problem) }
        guard let problem = RedisQueueFacts.problem(ofRights: facts.missingRights) else {
            return QueueVerdict(.rights, is: .ok, detail: "this user may do what a worker does")
        }
        return QueueVerdict(
            .rights, is: .fail, detail: problem,
            advice: "A program that only puts pushes in needs fewer rights: docs/queue.md.")
    }

    private var policy: QueueVerdict {
        let policy = facts.info["maxmemory_policy"] ?? "unknown"
        guard policy != "noeviction" else { return QueueVerdict(.policy, is: .ok, detail: policy) }
        return QueueVerdict(
            .policy, is: .fail,
            detail: "maxmemory-policy is \(policy): pushes would be removed when the memory is full",
            advice: "Set maxmemory-policy to noeviction, with CONFIG SET and in the server's file.")
    }

    private var durability: QueueVerdict {
        if facts.info["aof_enabled"] == "1", facts.info["aof_last_write_status"] ?? "ok" == "ok" {
            return QueueVerdict(.durability, is: .ok, detail: "append-only file; \(loss)")
        }
        if facts.info["aof_enabled"] == "1" {
            return QueueVerdict(
                .durability, is: .warning, detail: "the last write of the append-only file failed",
                advice: "Look at the server's log, and at its disk.")
        }
        let changes = number("rdb_changes_since_last_save").map { Figures.grouped(Int($0)) } ?? "unknown"
        return QueueVerdict(
            .durability, is: .warning,
            detail: "no append-only file: a crash loses all since the last snapshot, \(changes) changes now",
            advice: "Set appendonly to yes, with CONFIG SET and in the server's file.")
    }

    /// What a loss of power takes.
    private var loss: String {
        switch facts.appendfsync {
        case "always": "a loss of power takes nothing that was acknowledged"
        case "everysec": "a crash of the machine loses up to 2 s"
        case "no": "a crash of the machine loses what its system has not written, often 30 s"
        default: "a crash of the machine loses up to 2 s, unless appendfsync is no"
        }
    }

    private var memory: QueueVerdict {
        let used = number("used_memory") ?? 0
        guard let limit = number("maxmemory"), limit > 0 else {
            return QueueVerdict(
                .memory, is: .warning,
                detail: "\(Figures.bytes(used)), without a limit: a queue that grows ends the server",
                advice: "Set maxmemory.")
        }
        let detail = "\(Figures.bytes(used)) of \(Figures.bytes(limit))"
        guard Double(used) >= 0.8 * Double(limit) else { return QueueVerdict(.memory, is: .ok, detail: detail) }
        return QueueVerdict(
            .memory, is: .warning, detail: detail,
            advice:
                "When it is full, entries are refused, and workers still store outcomes. Raise maxmemory, or read and "
                + "remove what is not needed.")
    }

    // MARK: The way to it

    private var delay: QueueVerdict {
        let times = facts.roundTrips.sorted()
        guard let longest = times.last else { return QueueVerdict(.delay, is: .skipped, detail: "not measured") }
        let median = times[times.count / 2]
        let detail =
            "the median of \(times.count) round trips; the longest took \(DoctorReport.milliseconds(longest)) ms"
        guard median > Self.slowTrip else { return QueueVerdict(.delay, is: .ok, detail: detail, after: median) }
        return QueueVerdict(
            .delay, is: .warning, detail: detail, after: median,
            advice: "Workers push more if they are near the server.")
    }

    private var clock: QueueVerdict {
        guard let ahead = facts.clockAhead else {
            return QueueVerdict(.clock, is: .skipped, detail: "the server does not tell")
        }
        let seconds = Figures.tenths(abs(ahead))
        let detail =
            abs(ahead) < 0.1 ? "as this machine's" : "\(seconds) s \(ahead > 0 ? "ahead of" : "behind") this machine's"
        guard abs(ahead) > Self.clockTolerance else { return QueueVerdict(.clock, is: .ok, detail: detail) }
        return QueueVerdict(
            .clock, is: .warning, detail: detail,
            advice: "Delayed entries go by the server's clock. Let NTP set both clocks.")
    }

    // MARK: Its keys

    private var queue: QueueVerdict {
        if !facts.wrongTypes.isEmpty {
            return QueueVerdict(
                .queue, is: .fail, detail: facts.wrongTypes.prefix(3).joined(separator: "; "),
                advice: "Another program uses these keys. Name another queue, or another database of the server.")
        }
        guard facts.isThere else {
            return QueueVerdict(
                .queue, is: .warning, detail: "there is no queue \(name) yet",
                advice: "The first put or worker makes it; or the name is wrong.")
        }
        guard facts.hasGroup else {
            return QueueVerdict(
                .queue, is: .ok, detail: "\(name); no worker has opened it yet, so it has no consumer group")
        }
        return QueueVerdict(.queue, is: .ok, detail: "\(name), with its consumer group")
    }
}
