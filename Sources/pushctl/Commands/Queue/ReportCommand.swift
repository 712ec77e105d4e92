import ArgumentParser
import FoundationEssentials
import PushCampaign
import PushQueue
import PushTerminal
import SupervisedPush

extension QueueCommand {
    /// A page about one campaign.
    struct Report: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Print a report on a campaign: what was put, what became of it, and what can be done about the rest.")

        @OptionGroup var queue: QueueOptions
        @Option(
            help: ArgumentHelp("The campaign that queue put --campaign has put.", valueName: "name"),
            transform: CampaignChoice.name)
        var campaign: CampaignName
        @Flag(help: "A JSON line on standard output: that of queue campaigns.") var json = false

        func run() async throws {
            let standing = try await OpenQueue.with(queue) { queue in
                try await queue.store.campaigns().first { $0.campaign.name == campaign }
            }
            guard let standing else {
                throw CommandError.configuration(
                    "the queue has no campaign \(campaign); pushctl queue campaigns names those that it keeps")
            }
            let bytes = json ? CampaignLine(standing).json : Array(CampaignReport(standing).text(Date()).utf8)
            try Listing.print(bytes)
        }
    }
}

/// A page about one campaign, for people who do not run `pushctl`.
struct CampaignReport {
    private let standing: CampaignStanding
    private var campaign: QueueCampaign { standing.campaign }

    init(_ standing: CampaignStanding) { self.standing = standing }

    func text(_ now: Date) -> String {
        let head = [
            "Campaign \(campaign.name): \(standing.state.rawValue)",
            "as of \(Self.time(now))",
            "",
        ]
        let rounds = campaign.rounds.map { round in
            let name = round.redo == nil ? "put" : "redone"
            let part = round.isWhole ? "" : ", up to line \(Figures.grouped(round.line)) so far"
            let tokens = Figures.counted(round.tokens, one: "token", many: "tokens")
            return "\(name) \(Self.time(round.begun)) by \(round.author): \(tokens)\(part)".onOneLine
        }
        return
            (head + rounds + ["file with SHA-256 \(campaign.records)".onOneLine, ""] + CountTable.lines(rows) + advice)
            .joined(separator: "\n") + "\n"
    }

    /// All tokens, and where each of them is.
    private var rows: [CountTable.Row] {
        let (places, outcomes) = (standing.places, standing.outcomes)
        let rejected = outcomes.rejected.values.reduce(0, +)
        let ended = outcomes.count + outcomes.cancelled
        var rows: [CountTable.Row] = [("tokens", campaign.tokens, "")]
        let all: [(String, Int)] = [
            ("delivered", outcomes.delivered), ("rejected", rejected), ("failed", outcomes.failed),
            ("unknown", outcomes.unknown), ("cancelled", outcomes.cancelled), ("waiting", places.waiting),
            ("scheduled", places.scheduled), ("retrying", places.retrying), ("taken", places.taken),
        ]
        for (name, count) in all where count > 0 || name == "delivered" {
            rows.append((name, count, name == "rejected" ? reasons : share(count)))
        }
        // Removed one by one, or dead letters without outcomes.
        let rest = campaign.tokens - ended - places.open
        if rest > 0 { rows.append(("no outcome", rest, "removed by queue cancel ID, or dead letters")) }
        return rows
    }

    private var sorted: [(key: String, value: Int)] {
        standing.outcomes.rejected.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    }

    private var reasons: String { sorted.map { "\($0.key) \(Figures.grouped($0.value))" }.joined(separator: ", ") }

    private func share(_ count: Int) -> String {
        guard campaign.tokens > 0, count > 0 else { return "" }
        let permille = (Double(count) / Double(campaign.tokens) * 1_000).rounded()
        return "\(Int(permille) / 10).\(Int(permille) % 10) %"
    }

    /// What each reason of a rejection means.
    private var advice: [String] {
        let lines: [String] = sorted.compactMap { reason, _ in
            let known = RejectionReason(rawValue: reason)
            return known.advice == nil ? nil : "\(reason): \(known.meaning) \(known.remedy)".onOneLine
        }
        return lines.isEmpty ? [] : [""] + lines
    }

    private static func time(_ date: Date) -> String {
        UTC.text(milliseconds: Int64(date.timeIntervalSince1970) * 1_000)
    }
}
