import PushLocking

/// Standard error while a command runs: lines for a person, and the progress line below them.
final class Screen: Sendable {
    private let progress: Locked<ProgressLine>

    init(_ style: ProgressLine.Style) { progress = Locked(ProgressLine(style)) }

    /// Writes a line above the progress line.
    func say(_ line: String) {
        progress.withLock { progress in
            StandardError.writeRaw(progress.erase() + line + "\n")
        }
    }

    /// Updates the progress line, if it is time.
    func show(_ counts: ProgressLine.Counts, at seconds: Double) {
        progress.withLock { progress in
            if let text = progress.render(counts, at: seconds) { StandardError.writeRaw(text) }
        }
    }

    /// Removes the progress line.
    func clear() {
        progress.withLock { progress in
            let text = progress.erase()
            if !text.isEmpty { StandardError.writeRaw(text) }
        }
    }
}
