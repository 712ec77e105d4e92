import ArgumentParser
import PushTerminal

/// How the program reports an error: one line on standard error, and a code.
enum CommandEnd {
    /// Prints the error and returns the exit code. Help and version go to standard output.
    ///
    /// - Parameter arguments: What was parsed.
    static func report<Root: ParsableCommand>(_ error: any Error, of root: Root.Type, _ arguments: [String]) -> Int32 {
        if let error = error as? CommandError {
            StandardError.write(error)
            return error.status.rawValue
        }
        if let code = error as? ExitCode { return code.rawValue }
        if root.exitCode(for: error) == .success {
            let output = OutputFile.standardOutput
            // If the reader of the help has closed the pipe, it has read enough.
            try? output.write(Array((root.fullMessage(for: error) + "\n").utf8))
            return ExitStatus.success.rawValue
        }
        let usage = UnknownName.option(in: arguments, of: root) ?? usageError(error, of: root, arguments)
        StandardError.write(usage)
        return usage.status.rawValue
    }

    /// The parser's error as one sentence, with a hint to the help.
    static func usageError<Root: ParsableArguments>(
        _ error: any Error, of root: Root.Type, _ arguments: [String]
    ) -> CommandError {
        let message = ValueHint.completed(root.message(for: error).onOneLine, arguments)
        let stop = message.last.map { ".!?".contains($0) } ?? true ? "" : "."
        return .usage("\(message)\(stop) See --help.")
    }
}

extension ParsableArguments {
    /// Parses arguments like the command line, with errors as a `CommandError`.
    static func parsed(_ arguments: [String]) throws(CommandError) -> Self {
        do {
            return try parse(arguments)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandEnd.usageError(error, of: Self.self, arguments)
        }
    }
}
