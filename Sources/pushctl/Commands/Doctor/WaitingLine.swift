import PushTerminal

/// A line on standard error that says what a command waits for, and goes away with the next output. Only on a terminal.
final class WaitingLine {
    private let style = TerminalStyle.standardError
    private var isThere = false

    func show(_ text: String) {
        guard style.isSmart else { return }
        clear()
        // The last column stays free: some terminals begin a new line there.
        StandardError.writeRaw(text.shortened(to: max(1, (style.columns ?? 80) - 2)))
        isThere = true
    }

    func clear() {
        guard isThere else { return }
        isThere = false
        StandardError.writeRaw("\r\u{1B}[K")
    }
}
