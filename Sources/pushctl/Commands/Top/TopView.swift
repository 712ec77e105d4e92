import FoundationEssentials
import PushTerminal
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

    /// - Parameters:
    ///   - height: The most lines; nil for no limit. A line below the table then says what is missing.
    ///   - offset: How many of the table's lines are passed over. Too many count as ``lastOffset(width:height:)``.
    func lines(width: Int, height: Int? = nil, offset: Int = 0, colors: Bool) -> [String] {
        let table = TopTable(rows, width: width).lines
        let (head, end) = ([title, totals, StyledLine()], ending)
        var lines = head
        if let height, let room = room(in: height, for: table.count, end.count) {
            // The titles stay, and so does the ending, which says what is wrong with all pushes.
            let above = max(0, min(offset, table.count - 1 - room))
            let below = table.count - 1 - room - above
            lines += table.prefix(1) + table.dropFirst(1 + above).prefix(room)
            let passed = above == 0 ? "" : "\(Figures.grouped(above)) lines above, "
            lines.append(StyledLine("… \(passed)\(Figures.grouped(below)) more lines; j and k scroll", .dim))
        } else {
            lines += table
        }
        let all = (lines + end).map { $0.rendered(width: width, colors: colors) }
        return height.map { Array(all.prefix(max(0, $0))) } ?? all
    }

    /// How many lines of the table can be passed over until its last one is seen.
    func lastOffset(width: Int, height: Int) -> Int {
        let count = TopTable(rows, width: width).lines.count
        return room(in: height, for: count, ending.count).map { max(0, count - 1 - $0) } ?? 0
    }

    /// How many lines of the table there is room for, besides its titles; nil if there is room for all.
    private func room(in height: Int, for table: Int, _ ending: Int) -> Int? {
        let head = 3
        guard head + table + ending > height else { return nil }
        return max(0, height - head - ending - 2)
    }

    // MARK: Above the table

    private var title: StyledLine {
        let tree = snapshot.tree
        let connections =
            "\(Figures.grouped(tree.children.count)) \(tree.children.count == 1 ? "connection" : "connections")"
        let pools = tree.pools.isEmpty ? "" : ", \(tree.pools.count) \(tree.pools.count == 1 ? "pool" : "pools")"
        var line = StyledLine("\(snapshot.program.onOneLine) \(snapshot.processID)", .loud)
        line.add("  up \(Figures.clock(snapshot.uptimeSeconds))  \(connections)\(pools)")
        addPhases(to: &line)
        if let note { line.add("  \(note)", .warning) }
        return line
    }

    /// How many connections are in which phase, unless all are up.
    private func addPhases(to line: inout StyledLine) {
        let counts = Dictionary(grouping: snapshot.tree.children, by: \.status.phase).mapValues(\.count)
        guard counts.keys.contains(where: { $0 != .up }) else { return }
        let phases = counts.sorted { ($0.key.trouble, $0.key.rawValue) < ($1.key.trouble, $1.key.rawValue) }
        for (index, (phase, count)) in phases.enumerated() {
            line.add(index == 0 ? "  " : ", ")
            line.add("\(Figures.grouped(count)) \(phase.rawValue)", phase == .up ? .plain : Tone(phase))
        }
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

    /// What is in trouble comes first. A pool stays with its connections.
    private var rows: [TopRow] {
        groups.enumerated().sorted { one, other in
            (-one.element.trouble, one.offset) < (-other.element.trouble, other.offset)
        }.flatMap(\.element)
    }

    /// Each connection and each pool with its connections.
    private var groups: [[TopRow]] {
        let tree = snapshot.tree
        var groups = tree.children(of: nil).map { child in
            [row(child, name: child.status.name ?? "anonymous", failure: failure(child.status))]
        }
        let members = Dictionary(grouping: tree.children.lazy.filter { $0.parent != nil }) { $0.parent }
        for pool in tree.pools {
            let name = (pool.status.name ?? "pool").onOneLine
            let row = TopRow(
                name: name, isPool: true, phase: pool.status.phase.rawValue, tone: .init(pool.status.phase),
                status: pool.status, rate: rates[pool.id], failure: pool.status.refusal?.description.onOneLine)
            groups.append([row] + memberRows(members[pool.id] ?? []))
        }
        return groups
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
        guard !reasons.isEmpty else { return absences }
        let answers = statuses.sorted { $0.key < $1.key }.map { "\($0.key): \(Figures.grouped($0.value))" }
        let rejections = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.key.onOneLine): \(Figures.grouped($0.value))" }
        return [
            StyledLine(), StyledLine("answers   " + answers.joined(separator: "  ")),
            StyledLine("rejected  " + rejections.joined(separator: "  ")),
        ] + absences
    }

    /// The most lines about what has no connection: they would leave no room for the table.
    private static let mostAbsences = 5

    /// What the program would connect and cannot.
    private var absences: [StyledLine] {
        let all = snapshot.unconnected ?? []
        guard !all.isEmpty else { return [] }
        let lines = all.prefix(Self.mostAbsences).map { StyledLine("\($0.name): \($0.cause)".onOneLine, .bad) }
        let rest = all.count - lines.count
        return [StyledLine()] + lines + (rest > 0 ? [StyledLine("… \(Figures.grouped(rest)) more", .bad)] : [])
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

extension [TopRow] {
    /// How urgently someone should look at them.
    fileprivate var trouble: Int { reduce(0) { Swift.max($0, $1.status.phase.trouble) } }
}

extension ConnectionPhase {
    /// How urgently someone should look at it.
    fileprivate var trouble: Int {
        switch self {
        case .suspended: 3
        case .down: 2
        case .up: 0
        default: 1
        }
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
