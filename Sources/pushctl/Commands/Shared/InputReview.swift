import PushCampaign
import PushTerminal
import SupervisedPush

/// What is found wrong with an input before its first record is pushed or put: a remark, or an error with `--strict`.
struct InputReview {
    let content: RecordContent
    let source: RecordSource
    let isStrict: Bool
    /// What the command does with records: `pushes` or `puts`.
    let does: String
    var say: @Sendable (String) -> Void

    /// - Parameters:
    ///   - fields: Those that records may have.
    ///   - defaults: The headers that records without them get.
    func check(_ fields: Set<RecordField>, _ defaults: RequestDefaults) throws(CommandError) {
        guard content.payload != nil || fields.contains(.payload) else {
            throw .usage("no payload: give --payload FILE, --body TEXT, or a column payload.")
        }
        try content.requireAPS(defaults)
        for finding in content.findings.prefix(5) {
            let line = "the payload: \(finding)"
            if isStrict { throw .usage("\(line.asSentence) --strict \(does) nothing then.") }
            say(line)
        }
        for line in source.takeUnknown() {
            if isStrict { throw .input("\(line.asSentence) --strict \(does) nothing then") }
            say(line)
        }
    }

    /// The error of `--strict` if records are not valid.
    func refusal(invalid: Int, of records: Int) -> CommandError {
        .input(
            "\(Figures.grouped(invalid)) of \(Figures.grouped(records)) records of \(source.file.name) are not valid; "
                + "--strict \(does) nothing then")
    }
}
