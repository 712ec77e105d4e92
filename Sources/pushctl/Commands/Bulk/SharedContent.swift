import PushInspection
import PushTerminal
import SupervisedPush

/// What the flags of a campaign give to records that lack it: a payload, and a collapse id. Both may have placeholders
/// for the values of a record.
struct SharedContent: Sendable {
    /// The payload of a campaign.
    enum Payload: Sendable {
        case same(PushNotification)
        case filled(PayloadTemplate)
    }

    let payload: Payload?
    /// A collapse id with placeholders. One without is a default of the connection.
    let collapseID: Template?
    /// The names of all placeholders.
    let names: [String]
    /// What a device would not understand of the payload.
    let findings: [String]

    /// Reads the file of `--payload`.
    init(_ options: some CampaignFlags) throws(CommandError) {
        let campaign = options.campaign
        let given = try Self.given(options)
        var names: [String] = []
        (payload, names, findings) =
            try given.map { (given) throws(CommandError) in
                let (payload, names, shape) = try Self.payload(given)
                return (payload, names, PayloadReview.findings(in: shape, type: campaign.headers.pushType))
            } ?? (nil, [], [])
        collapseID = try campaign.collapseIDTemplate(names)
        self.names = collapseID?.names ?? names
    }

    /// The notification that a campaign's payload makes, as an example: with empty values.
    var example: PushNotification? {
        switch payload {
        case .same(let notification): notification
        case .filled(let template): template.example
        case nil: nil
        }
    }

    // MARK: The payload

    private struct Given {
        let json: [UInt8]
        /// For errors.
        let name: String
        /// What the flags say besides.
        let pushType: PushType?
    }

    /// What the flags give; nil if they give no payload.
    private static func given(_ options: some CampaignFlags) throws(CommandError) -> Given? {
        if let path = options.payload {
            let json = try InputFile.contents(of: path, limit: RecordReaders.longestRecord)
            return Given(json: json, name: path == "-" ? "standard input" : path, pushType: nil)
        }
        guard options.campaign.makesPayload else { return nil }
        do {
            let notification = try SendPayload(options, now: UTC.now).notification()
            return Given(json: notification.payload.bytes, name: "the alert", pushType: notification.pushType)
        } catch {
            throw error as? CommandError ?? .usage("\(error)")
        }
    }

    private static func payload(
        _ given: Given
    ) throws(CommandError) -> (Payload, names: [String], shape: [UInt8]) {
        let parsed: (template: Template, shape: [UInt8])
        do throws(TemplateParser.Malformed) { parsed = try TemplateParser.json(given.json, []) } catch {
            throw .usage("\(given.name): the payload \(error.sentence).")
        }
        if let problem = JSONScanner.problem(inObject: parsed.shape) {
            throw .input("\(given.name): the payload \(problem)")
        }
        do {
            guard parsed.template.hasPlaceholders else {
                let json = try parsed.template.filled([])
                return (.same(try .raw(json, pushType: given.pushType)), [], parsed.shape)
            }
            let template = try PayloadTemplate(parsed.template, pushType: given.pushType)
            return (.filled(template), parsed.template.names, parsed.shape)
        } catch {
            throw .input("\(given.name): \(error)")
        }
    }
}

extension CampaignOptions {
    /// The template of `--collapse-id`, if it has placeholders.
    fileprivate func collapseIDTemplate(_ names: [String]) throws(CommandError) -> Template? {
        guard let text = headers.collapseID, PushHeaderOptions.mayHavePlaceholders(text) else { return nil }
        do throws(TemplateParser.Malformed) { return try TemplateParser.plain(text, names) } catch {
            throw .usage("--collapse-id \(error.sentence).")
        }
    }
}
