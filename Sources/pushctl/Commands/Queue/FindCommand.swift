import ArgumentParser
import FoundationEssentials
import PushQueue
import PushTerminal
import SupervisedPush

extension QueueCommand {
    /// Says where the pushes to one device are.
    struct Find: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print where the pushes to a device token wait, and how those ended whose outcomes are kept.",
            discussion: """
                It searches the whole queue and all outcomes: some seconds for a million. Nothing counts as read. It ends \
                with 1 if the token is nowhere.
                """)

        @Argument(help: ArgumentHelp("The device token, in hexadecimal digits.", valueName: "token"))
        var token: String
        @OptionGroup var queue: QueueOptions
        @Flag(help: "JSON lines on standard output.") var json = false

        func validate() throws { _ = try DeviceToken.ofArgument(token) }

        func run() async throws {
            let token = try DeviceToken.ofArgument(token)
            let hasFound = try await OpenQueue.with(queue) { queue in
                let entries = try await queue.store.entries(with: token, limit: Self.most)
                var lines = entries.map { json ? FoundLine($0).json : FoundLine($0).text }
                try Listing.print(lines.flatMap(\.self))
                var hasFound = !lines.isEmpty
                var follower = OutcomeFollower(queue.store, marking: false)
                while case let page = try await follower.next(), !page.isEmpty {
                    lines = page.outcomes.filter { $0.token == token }.map {
                        json ? $0.row + [ASCII.lineFeed] : Array("\(Self.text($0))\n".utf8)
                    }
                    hasFound = hasFound || !lines.isEmpty
                    try Listing.print(lines.flatMap(\.self))
                }
                return hasFound
            }
            if !hasFound { throw ExitCode(1) }
        }

        /// How many entries are printed.
        private static let most = 1_000

        /// `2026-11-28T12:00:00.123Z delivered, entry 0123…, index 3, campaign spring, apns-id …`
        static func text(_ outcome: QueueOutcome) -> String {
            let time = outcome.endedAt.map { UTC.text(milliseconds: $0.unixMilliseconds) } ?? "ended"
            let id = outcome.apnsID.map { ", apns-id \($0)" } ?? ""
            let place = FoundLine.place(in: outcome.entry, index: outcome.index, of: outcome.campaign)
            return "\(time) \(outcome.outcome), \(place)\(id)".onOneLine
        }
    }
}

/// Where the push to a device is, for a person or for a script.
struct FoundLine {
    private let found: FoundEntry

    init(_ found: FoundEntry) { self.found = found }

    static func place(in id: EntryID, index: Int, of campaign: CampaignName?) -> String {
        "entry \(id), index \(index)" + (campaign.map { ", campaign \($0)" } ?? "")
    }

    private var state: (word: String, until: Date?, detail: String?) {
        switch found.place {
        case .waiting: ("waiting", nil, nil)
        case .scheduled(let date): ("scheduled", date, nil)
        case .retrying(let date): ("retrying", date, nil)
        case .taken(let worker): ("taken", nil, worker.description)
        case .dead(let reason): ("dead", nil, reason)
        }
    }

    /// `retrying until 2026-11-28T14:03:00Z, entry 0123…, index 3, campaign spring`
    var text: [UInt8] {
        let (word, until, detail) = state
        let time = until.map { " until \(UTC.text(milliseconds: $0.unixMilliseconds))" } ?? ""
        let more = detail.map { word == "taken" ? " by \($0)" : ": \($0)" } ?? ""
        let urgent = found.isUrgent ? ", urgent" : ""
        let line = "\(word)\(time)\(more)\(urgent), \(Self.place(in: found.id, index: found.index, of: found.campaign))"
            .onOneLine
        return Array("\(line)\n".utf8)
    }

    var json: [UInt8] {
        let (word, until, detail) = state
        var object = JSONLine()
        object.add("place", word)
        object.add("until", until.map { UTC.text(milliseconds: $0.unixMilliseconds) })
        object.add("worker", word == "taken" ? detail : nil)
        object.add("reason", word == "dead" ? detail : nil)
        object.add("id", found.id.description)
        object.add("index", found.index)
        object.add("campaign", found.campaign?.description)
        object.add("urgent", found.isUrgent)
        return object.line
    }
}
