import FoundationEssentials
import SupervisedPush

/// What `top` shows of a snapshot, as lines. Knows no terminal and no clock.
struct TopView {
    private let snapshot: StatusSnapshot
    private let rates: TopRates
    /// What is shown at the end of the first line, such as that no news arrive.
    var note: String?

    /// - Parameter before: An earlier snapshot, for what happens a second.
    init(_ snapshot: StatusSnapshot, before: StatusSnapshot?) {
        self.snapshot = snapshot
        rates = TopRates(snapshot, before: before)
    }

    /// - Parameter height: The most lines; nil for no limit. The last line then says what is missing.
    func lines(width: Int, height: Int? = nil, colors: Bool) -> [String] {
        var lines = [title, totals, StyledLine()]
        let table = TopTable(rows, width: width).lines
        let end = ending
        if let height, lines.count + table.count + end.count > height {
            // The ending says what is wrong with all pushes, so it stays.
            let room = max(0, height - lines.count - end.count - 1)
            lines += table.prefix(room)
            lines.append(StyledLine("… \(Figures.grouped(table.count - room)) more lines", .dim))
        } else {
            lines += table
        }
        let all = (lines + end).map { $0.rendered(width: width, colors: colors) }
        return height.map { Array(all.prefix(max(0, $0))) } ?? all
    }

    // MARK: Above the table

    private var title: StyledLine {
        let tree = snapshot.tree
        let connections =
            "\(Figures.grouped(tree.children.count)) \(tree.children.count == 1 ? "connection" : "connections")"
        let pools = tree.pools.isEmpty ? "" : ", \(tree.pools.count) \(tree.pools.count == 1 ? "pool" : "pools")"
        var line = StyledLine("\(snapshot.program.onOneLine) \(snapshot.processID)", .loud)
        line.add("  up \(Figures.clock(snapshot.uptimeSeconds))  \(connections)\(pools)")
        if let note { line.add("  \(note)", .warning) }
        return line
    }

    private var totals: StyledLine {
        let counters = roots.map(\.counters)
        func sum(_ count: (ConnectionCounters) -> Int) -> Int { counters.reduce(0) { $0 + count($1) } }
        let rate = rates.total.map { ", \(TopFigures.rate($0))/s" } ?? ""
        var line = StyledLine("\(Figures.grouped(sum(\.ended))) pushes\(rate)")
        for (count, name, tone) in [
            (sum(\.accepted), "accepted", Tone.plain), (sum(\.rejected), "rejected", .warning),
            (sum(\.notSent), "not sent", .warning), (sum(\.unprocessed), "unprocessed", .warning),
            (sum(\.unknown), "unknown", .bad),
        ] where count > 0 || name == "accepted" {
            line.add("  \(Figures.grouped(count)) \(name)", tone)
        }
        return line
    }

    // MARK: The tree

    /// The statuses that add up to the whole: a pool's has those of its connections.
    private var roots: [ConnectionStatus] {
        snapshot.tree.children(of: nil).map(\.status) + snapshot.tree.pools.map(\.status)
    }

    private var rows: [TopRow] {
        let tree = snapshot.tree
        var rows = tree.children(of: nil).map { child in
            row(child, name: child.status.name ?? "anonymous", failure: failure(child.status))
        }
        let members = Dictionary(grouping: tree.children.lazy.filter { $0.parent != nil }) { $0.parent }
        for pool in tree.pools {
            let name = (pool.status.name ?? "pool").onOneLine
            rows.append(
                TopRow(
                    name: name, isPool: true, phase: pool.status.phase.rawValue, tone: .init(pool.status.phase),
                    status: pool.status, rate: rates[pool.id], failure: pool.status.refusal?.description.onOneLine))
            rows += memberRows(members[pool.id] ?? [])
        }
        return rows
    }

    /// The rows of a pool's connections. What several of them say is shown once.
    private func memberRows(_ members: [SupervisionTree.Child]) -> [TopRow] {
        var told = Set<String>()
        return members.enumerated().map { index, child in
            let branch = index == members.count - 1 ? "└" : "├"
            let isNews = child.status.outage.map { told.insert($0.cause.description).inserted } ?? false
            let failure = isNews && child.status.refusal == nil ? failure(child.status) : nil
            return row(child, name: "\(branch) \(child.member ?? index + 1)", failure: failure)
        }
    }

    private func row(_ child: SupervisionTree.Child, name: String, failure: String?) -> TopRow {
        // A connection that the supervisor does not just keep running says so.
        let phase = child.state == "running" ? child.status.phase.rawValue : child.state.onOneLine
        return TopRow(
            name: name.onOneLine, phase: phase, tone: .init(child.status.phase), status: child.status,
            rate: rates[child.id], failure: failure)
    }

    private func failure(_ status: ConnectionStatus) -> String? {
        if let refusal = status.refusal { return refusal.description.onOneLine }
        guard let outage = status.outage else { return status.trouble?.onOneLine }
        // First, because a narrow terminal cuts the end, and causes can be long.
        let next = outage.nextAttempt.map { moment in
            "in \(Figures.tenths(max(0, moment.timeIntervalSince(snapshot.time)))) s"
        }
        return "Attempt \(outage.attempt) \(next ?? "is under way"). \(outage.cause)".onOneLine
    }

    // MARK: Below the table

    private var ending: [StyledLine] {
        var (statuses, reasons): ([Int: Int], [String: Int]) = ([:], [:])
        for counters in roots.map(\.counters) {
            if counters.accepted > 0 { statuses[200, default: 0] += counters.accepted }
            statuses.merge(counters.rejectionsByStatus, uniquingKeysWith: +)
            reasons.merge(counters.rejections, uniquingKeysWith: +)
        }
        guard !reasons.isEmpty else { return [] }
        let answers = statuses.sorted { $0.key < $1.key }.map { "\($0.key): \(Figures.grouped($0.value))" }
        let rejections = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.key.onOneLine): \(Figures.grouped($0.value))" }
        return [
            StyledLine(), StyledLine("answers   " + answers.joined(separator: "  ")),
            StyledLine("rejected  " + rejections.joined(separator: "  ")),
        ]
    }
}

/// Pushes that ended a second, between two snapshots.
struct TopRates {
    private var rates: [String: Double] = [:]
    /// Of all connections; nil after one snapshot.
    private(set) var total: Double?

    init(_ snapshot: StatusSnapshot, before: StatusSnapshot?) {
        guard let before, before.processID == snapshot.processID, before.uptimeSeconds < snapshot.uptimeSeconds else {
            return
        }
        let seconds = snapshot.uptimeSeconds - before.uptimeSeconds
        let earlier = Dictionary(before.tree.ended, uniquingKeysWith: +)
        for (id, ended) in snapshot.tree.ended {
            // A connection that was not there before has counted from 0.
            rates[id] = Double(max(0, ended - (earlier[id] ?? 0))) / seconds
        }
        let roots = snapshot.tree.children(of: nil).map(\.id) + snapshot.tree.pools.map(\.id)
        total = roots.reduce(0) { $0 + (rates[$1] ?? 0) }
    }

    subscript(id: String) -> Double? { rates[id] }
}

extension SupervisionTree {
    /// How many pushes ended, by connection and by pool.
    fileprivate var ended: [(String, Int)] {
        children.map { ($0.id, $0.status.counters.ended) } + pools.map { ($0.id, $0.status.counters.ended) }
    }
}

extension Tone {
    init(_ phase: ConnectionPhase) {
        switch phase {
        case .up: self = .good
        case .dialing: self = .warning
        case .down, .suspended: self = .bad
        default: self = .dim
        }
    }
}
