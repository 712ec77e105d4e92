import FoundationEssentials
import PushCampaign
import PushQueue
import PushTerminal

/// The campaign that a run of `queue put` puts, and how much of it is in the queue.
struct PutCampaign: Equatable, Sendable {
    /// Where the run goes on.
    private(set) var place: CampaignPlace

    /// Begins the campaign, or finds where it goes on. It reads all of INPUT.
    ///
    /// - Throws: Exit code 66 if a file cannot be read.
    static func begin(_ flags: PutFlags, _ input: InputFile, in queue: OpenQueue) async throws -> PutCampaign? {
        guard let name = flags.campaignName else { return nil }
        let records = try await hash(input)
        var redo: String?
        if let path = flags.redo.redo {
            // Another choice of rows is another redo.
            redo = try await hash(try InputFile(path)) + (flags.redo.only.map { " \($0)" } ?? "")
        }
        let author = "\(EnvironmentVariable.value("USER") ?? "?") \(WorkerName.make())".onOneLine.shortened(to: 100)
        let given = CampaignInput(records: records, redo: redo, author: author)
        return PutCampaign(place: try await queue.store.begin(name, with: given))
    }

    private static func hash(_ file: InputFile) async throws(CommandError) -> String {
        try await OwnThread("pushctl.hash").run { () throws(CommandError) in try file.binding() }.sha256
    }

    /// What to say to a person before anything is put; nil if all of it is to be put.
    var beginning: String? {
        let name = place.campaign
        if place.isWhole { return "pushctl: all of the campaign \(name) was put before; nothing is put again" }
        guard place.line > 0 else { return nil }
        return "pushctl: the campaign \(name) is in the queue up to line \(place.line); it goes on after that line"
    }

    /// How to go on after an early end.
    func advice(_ input: String) -> String {
        "pushctl: \(input): put it again with --campaign \(place.campaign), and it goes on after line \(place.line)"
            .onOneLine
    }

    /// A batch of records, which begins at the place.
    func batch(_ batch: PutInput.Batch) -> CampaignBatch {
        CampaignBatch(after: place, through: batch.lastLine ?? place.line, isLast: batch.isLast && batch.endsInput)
    }

    /// The batch is in the queue.
    mutating func put(_ batch: CampaignBatch) { place = batch.end }
}
