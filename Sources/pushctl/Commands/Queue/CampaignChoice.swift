import ArgumentParser
import PushQueue

/// `--campaign` of the commands that steer a queue.
struct CampaignChoice: ParsableArguments {
    @Option(
        help: ArgumentHelp("The campaign that queue put --campaign has put.", valueName: "name"),
        transform: CampaignChoice.name)
    var campaign: CampaignName?

    init() {}

    static func name(_ text: String) throws -> CampaignName {
        do { return try CampaignName(text) } catch { throw ValidationError("\(error)") }
    }
}
