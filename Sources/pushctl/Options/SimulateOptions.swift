import ArgumentParser

/// The arguments of `pushctl simulate`.
package struct SimulateOptions: ParsableArguments {
    @Option(help: "The port on loopback; 0 takes a free one.")
    package var port = 0

    @Option(
        help: ArgumentHelp("The port for broadcast channels; 0 takes a free one.", valueName: "port"))
    package var managementPort = 0

    @Option(help: "A folder for the throw-away root, signing key and certificate; a temporary one when left out.")
    package var credentials: String?

    @Option(
        help: """
            A new file for a line per request; - is standard output. An existing file is refused, unless \
            --append or --overwrite says what to do with it.
            """)
    package var log: String?

    @OptionGroup package var existing: ExistingFileOptions

    @Option(help: "A JSON file that says when the simulator misbehaves, and how: see docs/simulator-script.md.")
    package var script: String?

    package init() {}

    /// Nil if there is no log, or it goes to standard output.
    package var logFile: String? { log == "-" ? nil : log }

    package mutating func validate() throws {
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
