import ArgumentParser

/// The arguments of `pushctl simulate`.
struct SimulateOptions: ParsableArguments {
    @Option(help: "The port on loopback; 0 takes a free one.")
    var port = 0

    @Option(
        help: ArgumentHelp("The port for broadcast channels; 0 takes a free one.", valueName: "port"))
    var managementPort = 0

    @Option(help: "A folder for the throw-away root, signing key and certificate; a temporary one when left out.")
    var credentials: String?

    @Option(
        help: """
            A new file for a line per request; - is standard output. An existing file is refused, unless \
            --append or --overwrite says what to do with it.
            """)
    var log: String?

    @OptionGroup var existing: ExistingFileOptions

    @Option(help: "A JSON file that says when the simulator misbehaves, and how: see docs/simulator-script.md.")
    var script: String?

    init() {}

    /// Nil if there is no log, or it goes to standard output.
    var logFile: String? { log == "-" ? nil : log }

    mutating func validate() throws {
        if log?.isEmpty == true { throw ValidationError("--log is empty; name a file, or leave it out.") }
        try existing.check("--log", logFile)
        for (name, port) in [("--port", port), ("--management-port", managementPort)]
        where !(0...65535).contains(port) {
            throw ValidationError("\(name) \(port) is not a port; give a number from 0 to 65535.")
        }
        guard port == 0 || port != managementPort else {
            throw ValidationError("--port and --management-port are both \(port); give two, or leave one out.")
        }
    }
}
