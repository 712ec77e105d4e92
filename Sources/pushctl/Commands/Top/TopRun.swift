import Glibc
import PushCampaign
import PushTerminal
import SupervisedPush

/// A run of `top`: reads the status socket, and shows each snapshot.
struct TopRun: Sendable {
    enum Form {
        /// Redraws the terminal.
        case live
        /// One table, from two snapshots.
        case table
        /// The socket's own lines, one or all of them.
        case json(isOnce: Bool)
        /// What is not well, and an exit code that says whether anything is.
        case check

        init(once: Bool, json: Bool) {
            self = json ? .json(isOnce: once) : once || !TerminalStyle.standardOutput.isSmart ? .table : .live
        }
    }

    /// How long the first line may take, in milliseconds.
    private static let patience = 5_000
    /// The seconds without a line after which the screen says so.
    private static let silence = 3.0

    private let path: String
    private let form: Form

    init(_ path: String, _ form: Form) {
        self.path = path
        self.form = form
    }

    func run() async throws(CommandError) -> ExitStatus {
        let terminal = TopTerminal()
        let bell = try StopBell()
        let signals = SignalWatcher.forCommand(
            onFirst: { _ in bell.ring() }, onInsisting: {},
            onOverdue: { signal in
                terminal.leave()
                SignalWatcher.leave(signal)
            })
        let result = await OwnThread("pushctl.top").run { () -> Result<ExitStatus, CommandError> in
            defer { terminal.leave() }
            do throws(CommandError) { return .success(try show(bell, terminal)) } catch { return .failure(error) }
        }
        if let signal = signals.first { return signal.status }
        return try result.get()
    }

    private func show(_ bell: StopBell, _ terminal: TopTerminal) throws(CommandError) -> ExitStatus {
        var connection = try StatusConnection(path)
        switch form {
        case .json(let isOnce): try copyLines(&connection, bell, isOnce: isOnce)
        case .table: try printTable(&connection, bell)
        case .live: try live(&connection, bell: bell, terminal: terminal)
        case .check: return try check(&connection, bell)
        }
        return .success
    }

    // MARK: Without a terminal

    private func copyLines(
        _ connection: inout StatusConnection, _ bell: StopBell, isOnce: Bool
    ) throws(CommandError) {
        guard var line = try firstLine(&connection, bell) else { return }
        while true {
            try OutputFile.standardOutput.write(line + [ASCII.lineFeed])
            guard !isOnce, let next = try nextLine(&connection, bell, patience: -1) else { return }
            line = next
        }
    }

    private func printTable(_ connection: inout StatusConnection, _ bell: StopBell) throws(CommandError) {
        guard let first = try firstLine(&connection, bell) else { return }
        let before = try connection.snapshot(first)
        var view = TopView(before, before: nil)
        if let second = try nextLine(&connection, bell, patience: Self.patience) {
            view = TopView(try connection.snapshot(second), before: before)
        }
        let style = TerminalStyle.standardOutput
        let lines = view.lines(width: style.columns ?? 200, colors: style.isColoured)
        try OutputFile.standardOutput.write(Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    private func check(
        _ connection: inout StatusConnection, _ bell: StopBell
    ) throws(CommandError) -> ExitStatus {
        guard let line = try firstLine(&connection, bell) else { return .unavailable }
        let problems = TopCheck.problems(try connection.snapshot(line))
        guard !problems.isEmpty else { return .success }
        try OutputFile.standardOutput.write(Array((problems.joined(separator: "\n") + "\n").utf8))
        return .unavailable
    }

    /// The first line; nil if a signal came before it.
    private func firstLine(
        _ connection: inout StatusConnection, _ bell: StopBell
    ) throws(CommandError) -> [UInt8]? {
        if let line = try nextLine(&connection, bell, patience: Self.patience) { return line }
        guard !bell.hasRung else { return nil }
        throw CommandError(
            .unavailable,
            connection.hasEnded
                ? "\(path) was closed before it told anything: the program is ending."
                : "\(path) does not answer: the program hangs, or it is not a status socket.")
    }

    /// The next line; nil at the end, after a signal, or when the time in milliseconds is over (never if below 0).
    private func nextLine(
        _ connection: inout StatusConnection, _ bell: StopBell, patience: Int
    ) throws(CommandError) -> [UInt8]? {
        let watch = Stopwatch()
        while true {
            if let line = try connection.next() { return line }
            let left = patience < 0 ? -1 : patience - Int(watch.seconds * 1_000)
            guard !connection.hasEnded, !bell.hasRung, patience < 0 || left > 0 else { return nil }
            _ = bell.wait(for: connection.descriptor, keys: false, milliseconds: left)
            try connection.read()
        }
    }

    // MARK: On a terminal

    private func live(
        _ connection: inout StatusConnection, bell: StopBell, terminal: TopTerminal
    ) throws(CommandError) {
        guard let first = try firstLine(&connection, bell) else { return }
        var (shown, before): (StatusSnapshot, StatusSnapshot?) = (try connection.snapshot(first), nil)
        var reads = terminal.enter()
        var news = Stopwatch()
        var offset = 0
        while !bell.hasRung {
            var view = TopView(shown, before: before)
            if news.seconds >= Self.silence { view.note = "no news for \(Int(news.seconds)) s" }
            let size = TerminalSize.of(STDOUT_FILENO)
            let lastOffset = view.lastOffset(width: size.columns, height: size.rows)
            offset = min(offset, lastOffset)
            terminal.draw(
                view.lines(
                    width: size.columns, height: size.rows, offset: offset,
                    colors: TerminalStyle.standardOutput.isColoured))
            guard !connection.hasEnded else {
                terminal.leave()
                return StandardError.write("pushctl: \(shown.program) \(shown.processID) has ended".onOneLine)
            }
            if bell.wait(for: connection.descriptor, keys: reads, milliseconds: 1_000) {
                guard let keys = Self.keys() else { reads = false; continue }
                for key in TopKey.all(in: keys) {
                    if key == .quit { return }
                    offset = key.offset(from: offset, page: max(1, size.rows / 2), last: lastOffset)
                }
            }
            try connection.read()
            while let line = try connection.next() {
                (before, shown, news) = (shown, try connection.snapshot(line), Stopwatch())
            }
        }
    }

    /// The keys that were pressed; nil at the end of standard input.
    private static func keys() -> [UInt8]? {
        var keys = [UInt8](repeating: 0, count: 64)
        let count = keys.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        return count > 0 ? Array(keys.prefix(count)) : nil
    }
}
