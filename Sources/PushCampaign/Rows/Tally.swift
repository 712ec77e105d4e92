import PushTerminal
import SupervisedPush

/// Counts of outcomes, and of the reasons behind them.
package struct Tally: Equatable, Sendable {
    /// How many different reasons are counted separately; further ones count as `other`, because a server could send a
    /// new reason for each push.
    static let mostReasons = 64

    package private(set) var delivered = 0
    package private(set) var rejected = 0
    package private(set) var failed = 0
    package private(set) var unknown = 0
    private var reasons: [Key: Int] = [:]
    private var notRetried: [NotRetried: Int] = [:]

    private struct Key: Hashable {
        let outcome: PushOutcome.Kind
        let reason: String
    }

    package init() {}

    package var total: Int { delivered + rejected + failed + unknown }

    package mutating func count(_ row: borrowing OutcomeRow) {
        count(row.outcome.kind, reason: row.outcome.reason)
        if let why = row.notRetried { notRetried[why, default: 0] += 1 }
    }

    package mutating func count(_ outcome: PushOutcome.Kind, reason: String? = nil, times: Int = 1) {
        switch outcome {
        case .delivered: delivered += times
        case .rejected: rejected += times
        case .failed: failed += times
        case .unknown: unknown += times
        }
        guard let reason else { return }
        let key = Key(outcome: outcome, reason: reason)
        let isKnown = reasons[key] != nil || reasons.count < Self.mostReasons
        reasons[isKnown ? key : Key(outcome: outcome, reason: "other"), default: 0] += times
    }

    /// Takes back what was counted for a record that has another outcome meanwhile, or gets another one.
    mutating func takeBack(_ outcome: PushOutcome.Kind, reason: String?) {
        count(outcome, times: -1)
        guard let reason else { return }
        let key = Key(outcome: outcome, reason: reason)
        let counted = reasons[key] == nil ? Key(outcome: outcome, reason: "other") : key
        guard let count = reasons[counted] else { return }
        reasons[counted] = count > 1 ? count - 1 : nil
    }

    /// The outcomes that occur, with their most frequent reasons: `17 delivered, 3 rejected (Unregistered 3)`.
    package var text: String {
        let parts = PushOutcome.Kind.allCases.filter { count(of: $0) > 0 }.map { outcome in
            let reasons = reasonsText(of: outcome)
            let count = "\(Figures.grouped(count(of: outcome))) \(outcome.rawValue)"
            return reasons.isEmpty ? count : "\(count) (\(reasons))"
        }
        return parts.joined(separator: ", ")
    }

    /// The totals of this and of another run.
    package func adding(_ other: Tally) -> Tally {
        var sum = self
        for outcome in PushOutcome.Kind.allCases {
            let reasons = other.reasons(of: outcome)
            for (reason, count) in reasons { sum.count(outcome, reason: reason, times: count) }
            sum.count(outcome, times: other.count(of: outcome) - reasons.reduce(0) { $0 + $1.count })
        }
        for (why, count) in other.heldBack { sum.notRetried[why, default: 0] += count }
        return sum
    }

    /// The reasons of an outcome, the most frequent first.
    package func reasons(of outcome: PushOutcome.Kind) -> [(reason: String, count: Int)] {
        reasons.filter { $0.key.outcome == outcome }.map { (reason: $0.key.reason, count: $0.value) }
            .sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    }

    /// The most frequent reasons of an outcome, with their counts.
    package func reasonsText(of outcome: PushOutcome.Kind, most: Int = 5) -> String {
        let reasons = reasons(of: outcome)
        let named = reasons.prefix(most).map { "\($0.reason.onOneLine) \(Figures.grouped($0.count))" }
        return (named + (reasons.count > most ? ["…"] : [])).joined(separator: ", ")
    }

    /// How many rejections were not retried, and why.
    package var heldBack: [(why: NotRetried, count: Int)] {
        NotRetried.allCases.compactMap { why in notRetried[why].map { (why, $0) } }
    }

    package func count(of outcome: PushOutcome.Kind) -> Int {
        switch outcome {
        case .delivered: delivered
        case .rejected: rejected
        case .failed: failed
        case .unknown: unknown
        }
    }
}
