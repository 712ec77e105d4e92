import Glibc
import PushCampaign
import PushTerminal
import SupervisedPush

/// What a journal knows, for a person or for a script.
struct JournalReport {
    private let campaign: Journal.Campaign
    private let tally: Tally
    /// Pushes that were about to be sent, and have no outcome.
    private let open: Int
    /// Of those that were rejected, how many are pushed again.
    private let again: Int
    private let isInUse: Bool

    init(_ path: String) throws(CommandError) {
        isInUse = try JournalFile.inspect(path)
        let journal = try Journal(reading: path)
        guard let campaign = try journal.campaign() else {
            throw .input("the journal \(path) is empty: no run has begun")
        }
        self.campaign = campaign
        let state = try journal.state()
        (tally, open, again) = (state.tally, state.open.count, state.refused.count)
    }

    /// How many records no run has read, if the end of the input is known.
    private var left: Int? { campaign.records.map { max(0, $0 - tally.total - open) } }

    var text: String {
        let left = left.map(Figures.grouped) ?? "not known: no run has reached the end of the input"
        var lines = [
            "input      \(campaign.input.name), \(Figures.grouped(Int(clamping: campaign.input.size))) bytes",
            "sha256     \(campaign.input.sha256)",
            "outcomes   \(campaign.outcomes), \(Figures.grouped(Int(clamping: campaign.outcomesSize))) bytes",
        ]
        if isInUse { lines.append("in use     by a run") }
        for outcome in PushOutcome.Kind.allCases {
            lines.append("\(padded(outcome.rawValue)) \(Figures.grouped(tally.count(of: outcome)))")
        }
        if again > 0 { lines.append("again      \(Figures.grouped(again)) of the rejected ones") }
        lines.append("open       \(Figures.grouped(open))")
        lines.append("left       \(left)")
        return lines.map(\.onOneLine).joined(separator: "\n")
    }

    private func padded(_ name: String) -> String { name + String(repeating: " ", count: max(0, 10 - name.count)) }

    var json: [UInt8] {
        var object = JSONLine()
        object.add("input", campaign.input.name)
        object.add("input_bytes", campaign.input.size)
        object.add("input_sha256", campaign.input.sha256)
        object.add("outcomes", campaign.outcomes)
        object.add("outcomes_bytes", campaign.outcomesSize)
        object.add("in_use", isInUse)
        for outcome in PushOutcome.Kind.allCases { object.add(outcome.rawValue, tally.count(of: outcome)) }
        for outcome in PushOutcome.Kind.allCases where !tally.reasons(of: outcome).isEmpty {
            object.add("\(outcome.rawValue)_reasons", tally.reasons(of: outcome).map { ($0.reason, $0.count) })
        }
        object.add("open", open)
        object.add("left", left)
        return object.line
    }

    /// Copies the outcomes file, up to the last row that the journal knows.
    func printRows() throws {
        let file = try InputFile(campaign.outcomes)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        var left = campaign.outcomesSize
        while left > 0 {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(min(left, UInt64(buffer.count)))))
            let count = try file.read(into: piece)
            guard count > 0 else { throw CommandError.input("\(campaign.outcomes) is shorter than the journal says") }
            try Listing.print(Array(UnsafeRawBufferPointer(piece).prefix(count)))
            left -= UInt64(count)
        }
    }
}
