import ArgumentParser
import SupervisedPush

/// The flags for the headers of pushes to devices: of one push, or of all pushes of a campaign.
struct PushHeaderOptions: ParsableArguments {
    @Option(
        help: """
            The apns-push-type: \(Self.pushTypes.joined(separator: ", ")). \
            When left out: background or alert, by the payload.
            """, completion: .list(Self.pushTypes))
    var pushType: String?

    @Option(help: "The apns-priority: 10, 5 or 1.")
    var priority: Int?

    @Option(help: "The apns-expiration in UNIX seconds; 0 is a single attempt.")
    var expiration: Int64?

    @Option(
        name: .customLong("collapse-id"), parsing: .unconditional,
        help: "The apns-collapse-id, at most 64 bytes; 512 with --waive collapse-id.")
    var collapseID: String?

    @Option(help: ArgumentHelp("A rule not to check; may be repeated.", valueName: "rule"))
    var waive: [WaivedRule] = []

    private static let pushTypes = PushType.known.map(\.rawValue)

    /// The types whose payload is the same for every push.
    private static let typesWithoutContent = ["background", "widgets", "controls", "location", "fileprovider"]

    init() {}

    /// Whether the type makes the payload.
    var makesPayload: Bool { pushType.map(Self.typesWithoutContent.contains) ?? false }

    var waived: PushRules { waive.reduce([]) { $0.union($1.rule) } }

    /// Whether a collapse id may have placeholders. Its length is known for each record then.
    static func mayHavePlaceholders(_ text: String) -> Bool { text.contains("{{") }

    /// The longest allowed collapse id, in bytes.
    var maxCollapseIDBytes: Int { waived.contains(.collapseID) ? 512 : CollapseID.maxBytes }

    mutating func validate() throws {
        try HeaderChecks.priority(priority, waived: waive)
        try HeaderChecks.expiration(expiration)
        try checkCollapseID()
    }

    private func checkCollapseID() throws {
        guard let collapseID, !Self.mayHavePlaceholders(collapseID) else { return }
        let length = collapseID.utf8.count
        guard !(1...maxCollapseIDBytes).contains(length) else { return }
        let remedy =
            length > 512 ? "shorten it" : length == 0 ? "leave it out" : "shorten it, or add --waive collapse-id"
        throw ValidationError("--collapse-id has \(length) bytes, but APNs accepts 1 to 64; \(remedy).")
    }
}
