import ArgumentParser

/// How the printed line is found again.
struct LineOptions: ParsableArguments {
    @Option(help: "The name of who or what was measured.")
    var subject: String

    @Option(help: "The name of what was measured, where it is not the command's own.")
    var figure: String?

    @Option(help: "The round it belongs to: only lines of one round are compared.")
    var round = 1

    func print(_ figure: String, _ values: [String: Double]) throws {
        try FigureLine(figure: self.figure ?? figure, subject: subject, round: round, values: values).print()
    }
}
