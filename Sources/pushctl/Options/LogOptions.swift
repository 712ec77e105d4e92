import ArgumentParser
import PushTerminal

/// How lines on standard error are written.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text
    case json

    /// The variable that has it for commands without `--log`.
    static let variable = "PUSHCTL_LOG"

    /// The format that a command line asks for. It is read before the others, so that a mistake in them is written in it.
    ///
    /// A wrong value of the flag is the parser's to refuse.
    ///
    /// - Throws: Exit code 64 if the variable has another value.
    static func chosen(
        by arguments: [String], _ variable: (String) -> String? = EnvironmentVariable.value
    ) throws(CommandError) -> LogFormat {
        if let format = flag(in: arguments) { return format }
        guard let text = variable(Self.variable) else { return .text }
        guard let format = LogFormat(rawValue: text) else {
            throw .usage("\(Self.variable) is '\(text.shortened(to: 40))'; set it to text or json.")
        }
        return format
    }

    private static func flag(in arguments: [String]) -> LogFormat? {
        // There it names the file of requests.
        guard !arguments.prefix(1).contains(where: { ["simulate", "inbox"].contains($0) }) else { return nil }
        let flags = arguments.prefix { $0 != "--" }
        for (index, argument) in flags.enumerated() {
            if argument == "--log", index + 1 < flags.count { return LogFormat(rawValue: flags[index + 1]) }
            if argument.hasPrefix("--log=") { return LogFormat(rawValue: String(argument.dropFirst("--log=".count))) }
        }
        return nil
    }
}

/// The flag for how lines on standard error are written. `Pushctl.main` has read it.
struct LogOptions: ParsableArguments {
    @Option(
        name: .customLong("log"),
        help: "How lines on standard error are written: text, or json, an object in each line. Without it, PUSHCTL_LOG."
    )
    var format: LogFormat?

    init() {}
}
