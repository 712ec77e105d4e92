import ArgumentParser

/// The flags of `queue outcomes` and `queue feedback`.
struct OutcomeListOptions: ParsableArguments {
    @Flag(help: "Go on until a signal comes.")
    var follow = false

    @Option(
        help: ArgumentHelp(
            "Begin after this position, which an earlier run has printed; end: after what is there now.",
            valueName: "position"))
    var after: String?

    @Option(
        help: ArgumentHelp(
            """
            Begin after the position in this file, if there is one, and keep there the position after what was printed. \
            It is stored after the rows, so a kill loses none.
            """, valueName: "file"), completion: .file())
    var positionFile: String?

    @OptionGroup var filter: OutcomeFilter

    @Flag(help: "JSON lines on standard output, each with its position.")
    var json = false

    init() {}

    mutating func validate() throws {
        if after?.isEmpty == true { throw ValidationError("--after is empty; give a position, or leave it out.") }
        if let positionFile, positionFile.isEmpty || positionFile == "-" {
            throw ValidationError("--position-file needs the name of a file.")
        }
        if positionFile != nil, after != nil {
            throw ValidationError("--position-file has the position; leave out --after.")
        }
    }

    /// The flag that gave the position to begin after.
    var positionFlag: String? { after != nil ? "--after" : positionFile != nil ? "--position-file" : nil }
}
