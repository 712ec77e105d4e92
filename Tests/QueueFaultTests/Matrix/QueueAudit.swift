import PushProtocol
import PushQueue
import PushSimulator
import SupervisedPush

/// Judges a run of a queue: what was acknowledged, the outcomes that the store has, and the simulators' ledgers.
struct QueueAudit {
    /// What a run says of its tokens.
    struct Counts: Equatable {
        var put = 0
        var delivered = 0
        var rejected = 0
        var unknown = 0
        var failed = 0
        var lost = 0
        var twice = 0
    }

    /// A moment: everything in these rows was recorded before any later push.
    struct Mark: Sendable {
        let rows: Int
        /// How many pushes each simulator had seen then.
        let pushes: [Int]
    }

    /// What a run leaves behind.
    struct Evidence: Sendable {
        var entries: [QueueEntry] = []
        /// The outcomes in the order of the store.
        var rows: [QueueOutcome] = []
        var marks: [Mark] = []
        /// How many tokens were reported as in doubt to a worker that took them over.
        var inDoubt = 0
    }

    private(set) var counts = Counts()
    /// What must never happen, and did.
    private(set) var violations: [String] = []
    /// How often APNs accepted each push, by its apns-id.
    private let accepted: (String) -> Int

    /// - Parameter accepted: How often APNs accepted the push of an apns-id.
    init(_ evidence: Evidence, accepted: @escaping (String) -> Int) {
        self.accepted = accepted
        let places = checkRows(evidence)
        for entry in evidence.entries {
            for index in entry.tokens.indices {
                counts.put += 1
                if places[entry.id]?.contains(index) != true { counts.lost += 1 }
                if accepted(entry.id.apnsID(of: index).description) > 1 { counts.twice += 1 }
            }
        }
        if counts.twice > evidence.inDoubt {
            violations.append("\(counts.twice) tokens were pushed twice, and \(evidence.inDoubt) were in doubt")
        }
    }

    /// With whole ledgers, which also tell what was pushed when.
    init(_ evidence: Evidence, ledgers: [[Ledger.Record]]) {
        let pushes = ledgers.joined().filter { $0.refusal == nil }.compactMap(\.apnsID)
        let counts = Dictionary(pushes.map { ($0, 1) }, uniquingKeysWith: +)
        self.init(evidence) { counts[$0] ?? 0 }
        let known = Set(
            evidence.entries.flatMap { entry in entry.tokens.indices.map { entry.id.apnsID(of: $0).description } })
        if let foreign = counts.keys.first(where: { !known.contains($0) }) {
            violations.append("\(foreign) was pushed, and never put in")
        }
        checkMarks(evidence, ledgers)
    }

    /// Each token has at most one outcome, and it is true.
    private mutating func checkRows(_ evidence: Evidence) -> [EntryID: Set<Int>] {
        let entries = Dictionary(evidence.entries.map { ($0.id, $0) }) { first, _ in first }
        var places: [EntryID: Set<Int>] = [:]
        for row in evidence.rows {
            guard let entry = entries[row.entry], entry.tokens.indices.contains(row.index),
                entry.tokens[row.index] == row.token
            else {
                violations.append("an outcome of what was never put in: \(row.entry) \(row.index)")
                continue
            }
            if !places[row.entry, default: []].insert(row.index).inserted {
                violations.append("\(row.entry) \(row.index) has two outcomes")
            }
            count(row)
        }
        return places
    }

    private mutating func count(_ row: QueueOutcome) {
        let times = row.apnsID.map { accepted($0.description) } ?? 0
        switch row.kind {
        case .delivered:
            counts.delivered += 1
            if times == 0 { violations.append("\(row.entry) \(row.index) is called delivered and was not accepted") }
        case .rejected: counts.rejected += 1
        case .unknown: counts.unknown += 1
        case .failed:
            counts.failed += 1
            if times > 0 { violations.append("\(row.entry) \(row.index) is called failed and was accepted") }
        }
    }

    /// What was recorded at a mark is not pushed after it.
    private mutating func checkMarks(_ evidence: Evidence, _ ledgers: [[Ledger.Record]]) {
        var recorded = Set<String>()
        var (rows, pushes) = (0, ledgers.map { _ in 0 })
        for mark in evidence.marks + [Mark(rows: evidence.rows.count, pushes: ledgers.map(\.count))] {
            for (place, ledger) in ledgers.enumerated() {
                for push in ledger[pushes[place]..<max(pushes[place], mark.pushes[place])] {
                    guard let id = push.apnsID, recorded.contains(id) else { continue }
                    violations.append("\(id) was pushed again after its outcome was recorded")
                }
            }
            for row in evidence.rows[rows..<max(rows, mark.rows)] {
                if let id = row.apnsID { recorded.insert(id.description) }
            }
            (rows, pushes) = (mark.rows, mark.pushes)
        }
    }
}
