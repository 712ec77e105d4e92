import ArgumentParser
import FoundationEssentials
import PushQueue
import PushTerminal

extension QueueCommand {
    /// Shows what a queue keeps of its campaigns.
    struct Campaigns: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print how the campaigns of a queue stand: what was put, what waits, and the outcomes.",
            discussion: "A queue keeps the 1,000 campaigns that were begun last.")

        @OptionGroup var queue: QueueOptions
        @Flag(help: "Look twice, two seconds apart, and print how fast tokens end, and the time to go.") var rate =
            false
        @Flag(help: "JSON lines on standard output.") var json = false

        func run() async throws {
            let lines = try await OpenQueue.with(queue) { queue in
                let first = try await queue.store.campaigns()
                guard rate else { return first.map { CampaignLine($0) } }
                let begin = ContinuousClock.now
                try await Task.sleep(for: .seconds(2))
                let second = try await queue.store.campaigns()
                let time = begin.duration(to: .now)
                return second.map { CampaignLine($0, pace: CampaignPace(from: first, to: $0, in: time)) }
            }
            for line in lines {
                try Listing.print(json ? line.json : Array("\(line.text)\n\(line.origin)\n".utf8))
            }
        }
    }
}

/// What a queue keeps of a campaign, for a person or for a script.
struct CampaignLine {
    private let standing: CampaignStanding
    private let pace: CampaignPace?
    private var campaign: QueueCampaign { standing.campaign }

    init(_ standing: CampaignStanding, pace: CampaignPace? = nil) { (self.standing, self.pace) = (standing, pace) }

    private var begun: String { UTC.text(milliseconds: Int64(campaign.begun.timeIntervalSince1970 * 1_000)) }
    private var redos: Int { campaign.rounds.count - 1 }

    private var rejected: Int { standing.outcomes.rejected.values.reduce(0, +) }

    /// The reasons of rejections, the most frequent first.
    private var reasons: [(String, Int)] {
        standing.outcomes.rejected.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// `spring: running, 1,000,000 tokens: 400,000 waiting, 512 taken, 599,400 delivered, 88 rejected (Unregistered 88)`
    var text: String {
        let (places, outcomes) = (standing.places, standing.outcomes)
        let why = reasons.map { "\($0.0) \(Figures.grouped($0.1))" }.joined(separator: ", ")
        let counts = [
            (places.waiting, "waiting"), (places.scheduled, "scheduled"), (places.retrying, "retrying"),
            (places.taken, "taken"), (outcomes.delivered, "delivered"),
            (rejected, "rejected\(why.isEmpty ? "" : " (\(why))")"), (outcomes.failed, "failed"),
            (outcomes.unknown, "unknown"), (outcomes.cancelled, "cancelled"),
        ]
        let numbers = counts.filter { $0.0 > 0 }.map { "\(Figures.grouped($0.0)) \($0.1)" }.joined(separator: ", ")
        let tokens = Figures.counted(campaign.tokens, one: "token", many: "tokens")
        let rest = (numbers.isEmpty ? "" : ": \(numbers)") + (pace?.text ?? "")
        let rate = campaign.rate.map { ", \(Steering.text(of: $0))" } ?? ""
        return "\(campaign.name): \(standing.state.rawValue)\(rate), \(tokens)\(rest)".onOneLine
    }

    /// `  in 3,907 entries, whole, begun 2026-11-28T12:00:00Z by anna web1-4711, 1 redo`
    var origin: String {
        let state = campaign.isWhole ? "whole" : "put up to line \(campaign.rounds.last?.line ?? 0)"
        let more = redos == 0 ? "" : ", \(Figures.counted(redos, one: "redo", many: "redos"))"
        let entries = Figures.counted(campaign.entries, one: "entry", many: "entries")
        return "  in \(entries), \(state), begun \(begun) by \(campaign.author)\(more)".onOneLine
    }

    var json: [UInt8] { object.line }

    var object: JSONLine {
        var object = JSONLine()
        let (places, outcomes) = (standing.places, standing.outcomes)
        object.add("campaign", campaign.name.description)
        object.add("state", standing.state.rawValue)
        object.add("tokens", campaign.tokens)
        object.add("waiting", places.waiting)
        object.add("scheduled", places.scheduled)
        object.add("retrying", places.retrying)
        object.add("taken", places.taken)
        object.add("delivered", outcomes.delivered)
        object.add("rejected", rejected)
        object.add("failed", outcomes.failed)
        object.add("unknown", outcomes.unknown)
        object.add("cancelled", outcomes.cancelled)
        object.add("reasons", reasons)
        object.add("entries", campaign.entries)
        object.add("whole", campaign.isWhole)
        object.add("last_line", campaign.rounds.last?.line)
        object.add("redos", redos)
        object.add("begun", begun)
        object.add("author", campaign.author)
        object.add("sha256", campaign.records)
        object.add("max_rate", seconds: campaign.rate?.perSecond ?? .infinity)
        object.add("burst", campaign.rate?.burst)
        pace?.add(to: &object)
        return object
    }
}
