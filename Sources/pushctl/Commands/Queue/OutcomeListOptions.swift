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

    @Flag(help: "JSON lines on standard output.")
    var json = false

    init() {}

    mutating func validate() throws {
        if after?.isEmpty == true { throw ValidationError("--after is empty; give a position, or leave it out.") }
    }
}
