import Glibc
import PushLocking
import PushTerminal

/// The terminal while `top` redraws it: its other screen, keys without a line feed and without an echo.
final class TopTerminal: Sendable {
    /// How the terminal was; nil once it is so again, and if standard input is none.
    private let settings = Locked<termios?>(nil)
    private let isEntered = Locked(false)

    /// Returns whether keys can be read.
    func enter() -> Bool {
        isEntered.withLock { $0 = true }
        write("\u{1B}[?1049h\u{1B}[?25l")
        var earlier = termios()
        guard tcgetattr(STDIN_FILENO, &earlier) == 0 else { return false }
        settings.withLock { $0 = earlier }
        var raw = earlier
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // Ctrl-Z would leave the other screen behind; 0 turns it off.
        withUnsafeMutableBytes(of: &raw.c_cc) { $0[Int(VSUSP)] = 0 }
        return tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0
    }

    /// Makes the terminal what it was. May be called from any thread, and again.
    func leave() {
        let wasEntered = isEntered.withLock { isEntered in
            defer { isEntered = false }
            return isEntered
        }
        if wasEntered { write("\u{1B}[?25h\u{1B}[?1049l") }
        let earlier = settings.withLock { settings in
            defer { settings = nil }
            return settings
        }
        if var earlier { _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &earlier) }
    }

    /// Replaces what is shown, without erasing it first, which would flicker.
    func draw(_ lines: [String]) { write("\u{1B}[H" + lines.joined(separator: "\u{1B}[K\n") + "\u{1B}[K\u{1B}[J") }

    /// A terminal that has gone shows nothing; the signal that tells of it ends the run.
    private func write(_ text: String) { try? OutputFile.standardOutput.write(Array(text.utf8)) }
}
