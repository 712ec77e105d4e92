import PushCampaign
import PushTerminal
import SupervisedPush

/// How far `queue put` is.
struct PutTally: Equatable, Sendable {
    private(set) var entries = 0
    private(set) var tokens = 0
    /// Records that cannot be pushed.
    private(set) var invalid = 0
    /// How many records were left out because of their token.
    private(set) var leftOut = TokenFilter.Counts()
    /// The line of the last record that was put, or cannot be.
    private(set) var lastLine: Int?
    /// The size of the input up to there.
    private var bytes: UInt64 = 0
    /// Whether all of the input is in the queue, as far as it is valid.
    private(set) var isWhole = false
    /// The last line of a batch that may be in the queue, because its store did not answer.
    var mayHold: Int?

    init() {}

    /// Adds a batch that is in the queue.
    mutating func add(_ batch: PutInput.Batch) {
        entries += batch.groups.count
        tokens += batch.tokens
        invalid += batch.invalid.count
        lastLine = batch.lastLine ?? lastLine
        (bytes, leftOut) = (batch.bytes, batch.leftOut)
        isWhole = batch.endsInput
        mayHold = nil
    }

    /// How much of the input is put; nil if its size is unknown.
    ///
    /// - Parameters:
    ///   - size: The size of the input, if it is known.
    ///   - limit: How many records are read at most; nil without a limit.
    func share(ofSize size: UInt64?, limit: Int?) -> Double? {
        guard !isWhole else { return 1 }
        let ofLimit = limit.map { Double(tokens + invalid) / Double($0) }
        guard let size, size > 0 else { return ofLimit.map { min(1, $0) } }
        return min(1, max(ofLimit ?? 0, Double(bytes) / Double(size)))
    }

    /// All of the input was in the queue before.
    mutating func isInQueue() { isWhole = true }

    /// How to go on after an early end.
    func advice(_ name: String, firstLine: Int) -> String? {
        let next = lastLine.map { $0 + 1 } ?? firstLine
        let goOn = "pushctl: \(name): go on with --from-line \(next)"
        guard let mayHold else { return goOn.onOneLine }
        return "\(goOn); what is before line \(mayHold + 1) may be in the queue already, and is pushed twice then"
            .onOneLine
    }

    /// What a dry run has counted: nothing was put, so nothing has a rate.
    var text: String { text(nil, pace: "") }

    func text(_ outcomes: Tally?, seconds: Double) -> String {
        text(outcomes, pace: Figures.pace(tokens, seconds: seconds))
    }

    private func text(_ outcomes: Tally?, pace: String) -> String {
        var rows: [CountTable.Row] = [("entries", entries, ""), ("tokens", tokens, pace)]
        if invalid > 0 { rows.append(("invalid", invalid, "")) }
        if let outcomes {
            for outcome in PushOutcome.Kind.allCases {
                rows.append((outcome.rawValue, outcomes.count(of: outcome), outcomes.reasonsText(of: outcome)))
            }
        }
        return CountTable.lines(rows).joined(separator: "\n")
    }

    /// - Parameter duplicates: How many tokens were there before.
    func json(dryRunWith duplicates: Int) -> [UInt8] {
        var object = object(nil)
        DryRunTokens.add(to: &object, duplicates: duplicates, leftOut)
        return object.line
    }

    func json(_ outcomes: Tally?, seconds: Double) -> [UInt8] {
        var object = object(outcomes)
        object.add("seconds", seconds: seconds)
        return object.line
    }

    private func object(_ outcomes: Tally?) -> JSONLine {
        var object = JSONLine()
        object.add("entries", entries)
        object.add("tokens", tokens)
        object.add("invalid", invalid)
        object.add("last_line", lastLine)
        if let outcomes {
            for outcome in PushOutcome.Kind.allCases { object.add(outcome.rawValue, outcomes.count(of: outcome)) }
        }
        return object
    }
}
