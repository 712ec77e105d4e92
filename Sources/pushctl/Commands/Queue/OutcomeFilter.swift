import ArgumentParser
import FoundationEssentials
import PushQueue
import PushTerminal
import SupervisedPush

/// Which outcomes are printed.
struct OutcomeFilter: ParsableArguments {
    @Option(
        help: ArgumentHelp("Those of this campaign.", valueName: "name"), transform: CampaignChoice.name)
    var campaign: CampaignName?

    @Option(help: ArgumentHelp("Those of this device token.", valueName: "token"), transform: DeviceToken.ofArgument)
    var token: DeviceToken?

    @Option(
        help: ArgumentHelp(
            "Those with these outcomes or reasons, as in failed,Unregistered.", valueName: "names"))
    var reason: String?

    @Option(
        help: ArgumentHelp(
            "Those that ended since this time: 7d, 12h, 15m or 90s ago, UNIX seconds, or 2026-11-23T18:00:00Z.",
            valueName: "time"), transform: QueueTime.init)
    var since: QueueTime?

    init() {}

    func validate() throws {
        if reason != nil, names.isEmpty {
            throw ValidationError("--reason is empty; give outcomes or reasons, separated by commas.")
        }
    }

    /// Whether it leaves something out. What it leaves out must not count as read.
    var isSet: Bool { campaign != nil || token != nil || reason != nil || since != nil }

    private var names: Set<String> {
        Set((reason ?? "").split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty })
    }

    /// What it lets pass.
    ///
    /// - Parameter now: The end of a time such as `7d`.
    func predicate(_ now: Date) -> @Sendable (QueueOutcome) -> Bool {
        let (campaign, token, names, since) = (campaign, token, names, since?.date(before: now))
        return { outcome in
            if let campaign, outcome.campaign != campaign { return false }
            if let token, outcome.token != token { return false }
            if let since, outcome.endedAt.map({ $0 < since }) ?? true { return false }
            guard !names.isEmpty else { return true }
            return names.contains(outcome.kind.rawValue) || outcome.reason.map(names.contains) == true
        }
    }
}

extension DeviceToken {
    /// - Throws: An error for people, without the text.
    static func ofArgument(_ text: String) throws -> DeviceToken {
        do { return try DeviceToken(text) } catch {
            throw ValidationError("The device token is not valid: give its hexadecimal digits.")
        }
    }
}
