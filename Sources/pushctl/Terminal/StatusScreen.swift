import Dispatch
import Glibc
import PushCampaign
import PushLocking
import PushTerminal
import Synchronization

/// Standard error while a campaign runs: lines for a person, and the status area below them, or a line of figures from
/// time to time.
///
/// It writes on threads of its own, so a terminal that is slow, or that was stopped, delays no push.
final class StatusScreen: Sendable {
    enum Style: Sendable, Equatable {
        /// An area that is drawn again several times a second.
        case live
        /// A line every ten seconds, for logs.
        case plain
        case none

        static let interval = 10.0

        /// - Parameter showsRows: Rows go to the same terminal, and would tear the area.
        init(_ mode: ProgressMode, _ style: TerminalStyle, showsRows: Bool) {
            switch mode {
            case .auto where style.isSmart: self = showsRows ? .none : .live
            case .auto: self = style.columns != nil && showsRows ? .none : .plain
            case .plain: self = .plain
            case .none: self = .none
            }
        }
    }

    private let style: Style
    private let painter: Locked<StatusPainter>
    private let lines: LiveLines
    private let queue = DispatchQueue(label: "pushctl.screen")
    private let isDrawing = Atomic(false)
    private let isOver = Atomic(false)
    private let nextLine = Locked(Style.interval)

    init(_ style: Style) {
        let painter = Locked(StatusPainter())
        self.style = style
        self.painter = painter
        lines = LiveLines { bytes in
            painter.withLock { StandardError.writeRaw($0.add(String(decoding: bytes, as: UTF8.self))) }
        }
    }

    /// Whether there is a status area.
    var isLive: Bool { style == .live }

    /// Whether a line comes from time to time.
    var isPlain: Bool { style == .plain }

    /// Writes a line above the status area.
    func say(_ line: LogLine) { lines.add(StandardError.rendered(line)) }

    func say(_ line: String) { say(LogLine(line)) }

    /// The same, with the time where the line may stay in a log.
    func sayWithTime(_ line: LogLine) { lines.add(StandardError.rendered(line, isTimed: true)) }

    func sayWithTime(_ line: String) { sayWithTime(LogLine(line)) }

    /// Shows how the run stands, if it is time and the last drawing is done.
    func show(_ status: RunStatus) {
        switch style {
        case .none: break
        case .live: draw { StatusArea(status, $0).lines(rows: $1) }
        case .plain:
            let isTime = nextLine.withLock { next in
                guard status.seconds >= next else { return false }
                next = max(next + Style.interval, status.seconds)
                return true
            }
            guard isTime else { return }
            lines.add(
                StandardError.isJSON
                    ? StandardError.rendered(StatusText.record(status))
                    : StatusText.logLine(status, at: UTC.timestamp))
        }
    }

    /// Shows an area, if there is one and the last drawing is done.
    ///
    /// - Parameter area: Its lines, for a style and a number of rows.
    func show(_ area: @escaping @Sendable (TerminalStyle, Int) -> [String]) { if isLive { draw(area) } }

    private func draw(_ lines: @escaping @Sendable (TerminalStyle, Int) -> [String]) {
        guard !isDrawing.exchange(true, ordering: .acquiring) else { return }
        queue.async { [self] in
            defer { isDrawing.store(false, ordering: .releasing) }
            // In the background, it would stand in the midst of the shell's lines.
            guard !isOver.load(ordering: .relaxed), StandardError.isInForeground else { return }
            let area = lines(.standardError, TerminalSize.of(STDERR_FILENO).rows)
            painter.withLock { StandardError.writeRaw($0.draw(area)) }
        }
    }

    /// Removes the status area until the next drawing.
    ///
    /// - Parameter stop: Stops the program. Nothing is drawn before it goes on.
    func pause(_ stop: () -> Void = {}) {
        queue.sync {
            erase()
            stop()
        }
    }

    /// Removes the status area; it does not come back.
    func clear() {
        isOver.store(true, ordering: .relaxed)
        pause()
    }

    /// Returns once everything is written, so that other lines may follow.
    func finish() { lines.finish() }

    private func erase() {
        painter.withLock { painter in
            let text = painter.erase()
            if !text.isEmpty { StandardError.writeRaw(text) }
        }
    }
}
