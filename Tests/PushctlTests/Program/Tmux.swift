import Foundation
import Testing

/// A shell in a real terminal, which tmux plays: what it shows, and a keyboard. `scripts/setup.sh --tests` installs tmux.
final class Tmux: Sendable {
    private static let executable = "/usr/bin/tmux"
    /// How long a screen may take to show what is expected, on a machine that does other things as well.
    private static let patience = Duration.seconds(30)

    private let name = "pushctl-\(UUID().uuidString)"
    private let folder: String
    private let variables: [String]

    /// - Parameters:
    ///   - folder: Where its socket is.
    ///   - variables: Of the environment, as `NAME=value`.
    init(columns: Int, rows: Int = 24, folder: String, variables: [String] = ["LANG=C.UTF-8"]) throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: Self.executable), "tmux is missing; install the package tmux")
        self.folder = folder
        // The path of a Unix socket is short.
        self.variables = variables + ["TMUX_TMPDIR=/tmp", "PS1=> ", "TERM=xterm-256color", "TMPDIR=\(folder)"]
        let size = ["-x", "\(columns)", "-y", "\(rows)"]
        try run(["-f", "/dev/null", "new-session", "-d"] + size + ["/bin/bash --norc --noprofile"])
    }

    deinit { _ = try? run(["kill-server"]) }

    /// Types a command, and the key that runs it.
    ///
    /// - Parameter atBottom: The screen is full before, as after some use. A terminal that becomes narrower moves the first
    ///   lines of one that is not out of sight, also those of an area.
    func type(_ command: [String], atBottom: Bool = false) throws {
        let file = folder + "/\(UUID().uuidString).sh"
        let words = command.map { "'\($0)'" }.joined(separator: " ")
        let fill = atBottom ? "yes '' | head -n 200; " : ""
        try Data("clear; \(fill)exec \(words)\n".utf8).write(to: URL(fileURLWithPath: file))
        try type("sh \(file); echo [$?]")
    }

    func type(_ text: String) throws {
        try run(["send-keys", "-l", text])
        try press("Enter")
    }

    /// Presses a key, such as `C-c`.
    func press(_ key: String) throws { try run(["send-keys", key]) }

    func resize(columns: Int, rows: Int) throws {
        try run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// The lines of the screen, without empty ones at the end.
    func screen() throws -> [String] {
        var lines = try run(["-u", "capture-pane", "-p"])
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// What is on the screen, with its control sequences.
    func colours() throws -> String { try run(["-u", "capture-pane", "-p", "-e"]).joined(separator: "\n") }

    /// Waits until the screen is as expected, and returns it.
    @discardableResult
    func shows(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ isExpected: ([String]) -> Bool
    ) throws -> [String] {
        let end = ContinuousClock.now + Self.patience
        var lines: [String] = []
        while ContinuousClock.now < end {
            lines = try screen()
            if isExpected(lines) { return lines }
        }
        Issue.record("not shown: \(what)\n\(lines.joined(separator: "\n"))", sourceLocation: sourceLocation)
        return lines
    }

    /// Runs tmux, which takes milliseconds, and waits here: a screen is looked at again and again.
    @discardableResult
    private func run(_ arguments: [String]) throws -> [String] {
        let file = folder + "/tmux-\(UUID().uuidString)"
        let (nothing, output) = (
            open("/dev/null", O_RDWR | O_CLOEXEC), open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        )
        defer {
            for descriptor in [nothing, output] { close(descriptor) }
            unlink(file)
        }
        let id = try Program.spawn([Self.executable, "-L", name] + arguments, variables, nothing, output, output)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try #require(status == 0, "tmux \(arguments.joined(separator: " ")): \(text)")
        return text.components(separatedBy: "\n")
    }
}
