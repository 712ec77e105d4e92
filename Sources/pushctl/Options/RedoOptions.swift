import ArgumentParser
import PushCampaign
import PushTerminal

/// Which rows of an earlier run are pushed again.
struct RedoOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Take exactly the records of an earlier outcomes file (CSV, or JSON lines) that are not done: failed, or \
            rejected for a reason of the sender or the service. The input must be the same.
            """, valueName: "outcomes"), completion: .file(extensions: ["csv", "ndjson"]))
    var redo: String?

    @Option(
        help: ArgumentHelp(
            "With --redo: take the rows with these outcomes or reasons instead, as in interrupted,BadTopic.",
            valueName: "names"))
    var only: String?

    init() {}

    func check(fromLine: Int?) throws {
        if redo?.isEmpty == true { throw ValidationError("--redo is empty; name a file.") }
        guard redo != nil || only == nil else { throw ValidationError("--only goes with --redo OUTCOMES.") }
        if only != nil, names.isEmpty {
            throw ValidationError("--only is empty; give outcomes or reasons, separated by commas.")
        }
        if redo != nil, fromLine != nil {
            throw ValidationError("--redo says which records are taken; leave out --from-line.")
        }
    }

    private var names: [String] {
        (only ?? "").split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
    }

    /// The rows that are taken; nil without `--redo`.
    func rows() throws(CommandError) -> EarlierRows? {
        guard let redo else { return nil }
        var rows = EarlierRows()
        try rows.addRedo(redo, RedoSelection(names))
        return rows
    }
}

extension Substring {
    /// Without blanks at its ends.
    fileprivate var trimmed: String {
        String(drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed())
    }
}
