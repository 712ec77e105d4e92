import Glibc

/// Lines for a person. If standard error is closed or full, they are lost and nothing else is affected.
enum StandardError {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether it interprets control sequences.
    static var isSmartTerminal: Bool {
        guard isTerminal else { return false }
        let name = getenv("TERM").map { String(cString: $0) } ?? ""
        return !name.isEmpty && name != "dumb"
    }

    /// Columns of the terminal; 80 if unknown.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes the line in one call, so that lines of different threads do not mix.
    static func write(_ line: String) { writeRaw(line + "\n") }

    /// Writes text as it is, including control sequences.
    static func writeRaw(_ text: String) {
        let file = OutputFile(borrowing: STDERR_FILENO, name: "standard error")
        try? file.write(Array(text.utf8))
    }
}
