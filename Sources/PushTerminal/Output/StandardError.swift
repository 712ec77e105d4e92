import Glibc
import ProcessRuntime
import Synchronization

/// Lines for a person. If standard error is closed or full, they are lost and nothing else is affected.
package enum StandardError {
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether this program may draw on its terminal: the shell has not put it into the background.
    package static var isInForeground: Bool {
        let group = tcgetpgrp(STDERR_FILENO)
        // No job control, no background.
        return group < 0 || group == getpgrp()
    }

    /// Whether standard output is the same terminal.
    package static var sharesTerminal: Bool {
        guard isTerminal, isatty(STDOUT_FILENO) == 1 else { return false }
        var (output, errors) = (stat(), stat())
        guard fstat(STDOUT_FILENO, &output) == 0, fstat(STDERR_FILENO, &errors) == 0 else { return true }
        return output.st_rdev == errors.st_rdev
    }

    /// Whether each line is a JSON object. Set once, before the first one.
    package static var isJSON: Bool {
        get { writesJSON.load(ordering: .relaxed) }
        set { writesJSON.store(newValue, ordering: .relaxed) }
    }

    private static let writesJSON = Atomic(false)

    /// A line as it is written, without its line feed. On a terminal it is wrapped.
    ///
    /// - Parameter isTimed: Whether a text has the time, unless it is on a terminal. JSON always has it.
    package static func rendered(_ line: LogLine, isTimed: Bool = false) -> String {
        guard !isJSON else { return line.json(at: SystemTime().wallClockMilliseconds) }
        let text = isTimed && !isTerminal ? "\(UTC.timestamp) \(line.text)" : line.text
        return TerminalStyle.standardError.wrap(text, indent: 2)
    }

    /// Writes the line in one call, so that lines of different threads do not mix.
    package static func write(_ line: LogLine) { writeRaw(rendered(line) + "\n") }

    package static func write(_ line: String) { write(LogLine(line)) }

    package static func write(_ error: CommandError) { write(LogLine(error)) }

    /// Writes the totals of a run: a table, or an object of JSON with the member `totals`.
    package static func writeTotals(_ text: String, json: [UInt8]) {
        guard isJSON else { return writeRaw(text + "\n") }
        write(LogLine("the totals", .info, [.init("totals", .json(json))]))
    }

    /// Writes text as it is, including control sequences.
    package static func writeRaw(_ text: String) {
        if !hasEnded.load(ordering: .relaxed) { put(text) }
    }

    /// Writes the last line of a program that is about to leave, over a status area that may be there. Nothing follows.
    package static func writeLast(_ line: String) {
        hasEnded.store(true, ordering: .relaxed)
        let style = TerminalStyle.standardError
        put((style.isSmart ? "\r\u{1B}[J" : "") + rendered(LogLine(line)) + "\n")
    }

    private static let hasEnded = Atomic(false)

    private static func put(_ text: String) {
        let file = OutputFile(borrowing: STDERR_FILENO, name: "standard error")
        try? file.write(Array(text.utf8))
    }
}

/// Standard input, output and error, if the program was started without them (`<&- >&- 2>&-`).
package enum StandardDescriptors {
    /// Opens /dev/null for those that are closed. Call it before opening anything: otherwise a file or a socket gets
    /// the number, and standard output is written to it.
    ///
    /// It is opened for the wrong direction, so reading and writing fail as with a closed descriptor, and an outcome
    /// that can't be written does not count as written.
    package static func occupy() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is used, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
