import PushCampaign
import PushTerminal
import SupervisedPush

extension RecordContent {
    /// What the flags of a command give to records that lack it. Reads the file of `--payload`.
    init(_ options: some CampaignFlags) throws(CommandError) {
        var headers = RecordContent.Headers()
        let flags = options.campaign.headers
        headers.collapseID = flags.collapseID.flatMap { PushHeaderOptions.mayHavePlaceholders($0) ? $0 : nil }
        headers.nameOfCollapseID = "--collapse-id"
        headers.pushType = flags.pushType
        headers.timeToLive = options.campaign.ttl?.seconds
        headers.waived = flags.waived
        try self.init(try Self.given(options), headers: headers)
    }

    /// Nil if the flags give no payload.
    private static func given(_ options: some CampaignFlags) throws(CommandError) -> Given? {
        if let path = options.payload {
            let json = try InputFile.contents(of: path, limit: RecordReaders.longestRecord)
            return Given(json: json, name: path == "-" ? "standard input" : path)
        }
        guard options.campaign.makesPayload else { return nil }
        do {
            let notification = try SendPayload(options, now: UTC.now).notification()
            return Given(
                json: notification.payload.bytes, name: "the alert", pushType: notification.pushType)
        } catch {
            throw error as? CommandError ?? .usage("\(error)")
        }
    }
}
