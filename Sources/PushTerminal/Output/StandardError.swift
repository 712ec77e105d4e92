import Glibc
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

    /// Writes the line in one call, so that lines of different threads do not mix. On a terminal it is wrapped.
    package static func write(_ line: String) { writeRaw(TerminalStyle.standardError.wrap(line, indent: 2) + "\n") }

    /// Writes text as it is, including control sequences.
    package static func writeRaw(_ text: String) {
        if !hasEnded.load(ordering: .relaxed) { put(text) }
    }

    /// Writes the last line of a program that is about to leave, over a status area that may be there. Nothing follows.
    package static func writeLast(_ line: String) {
        hasEnded.store(true, ordering: .relaxed)
        let style = TerminalStyle.standardError
        put((style.isSmart ? "\r\u{1B}[J" : "") + style.wrap(line, indent: 2) + "\n")
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
