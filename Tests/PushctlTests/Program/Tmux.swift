import Foundation
import TestSupport
import Testing

/// A shell in a real terminal, which tmux plays: what it shows, and a keyboard. `scripts/setup.sh --tests` installs tmux.
final class Tmux: Sendable {
    private static let executable = "/usr/bin/tmux"

    private let name = "pushctl-\(UUID().uuidString)"
    private let folder: String
    private let variables: [String]

    /// - Parameters:
    ///   - folder: Where its socket is.
    ///   - variables: Of the environment, as `NAME=value`.
    init(columns: Int, rows: Int = 24, folder: String, variables: [String] = ["LANG=C.UTF-8"]) async throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: Self.executable), "tmux is missing; install the package tmux")
        self.folder = folder
        // The path of a Unix socket is short.
        self.variables = variables + ["TMUX_TMPDIR=/tmp", "PS1=> ", "TERM=xterm-256color", "TMPDIR=\(folder)"]
        let size = ["-x", "\(columns)", "-y", "\(rows)"]
        try await run(["-f", "/dev/null", "new-session", "-d"] + size + ["/bin/bash --norc --noprofile"])
    }

    deinit {
        guard let last = try? start(["kill-server"]) else { return }
        // A program that nobody holds is killed.
        Task { _ = await last.end() }
    }

    /// Types a command, and the key that runs it.
    ///
    /// - Parameter atBottom: The screen is full before, as after some use. A terminal that becomes narrower moves the first
    ///   lines of one that is not out of sight, also those of an area.
    func type(_ command: [String], atBottom: Bool = false) async throws {
        let file = folder + "/\(UUID().uuidString).sh"
        let words = command.map { "'\($0)'" }.joined(separator: " ")
        let fill = atBottom ? "yes '' | head -n 200; " : ""
        try Data("clear; \(fill)exec \(words)\n".utf8).write(to: URL(fileURLWithPath: file))
        try await type("sh \(file); echo [$?]")
    }

    func type(_ text: String) async throws {
        try await run(["send-keys", "-l", text])
        try await press("Enter")
    }

    /// Presses a key, such as `C-c`.
    func press(_ key: String) async throws { try await run(["send-keys", key]) }

    func resize(columns: Int, rows: Int) async throws {
        try await run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// The lines of the screen, without empty ones at the end.
    func screen() async throws -> [String] {
        var lines = try await run(["-u", "capture-pane", "-p"])
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// What is on the screen, with its control sequences.
    func colours() async throws -> String {
        try await run(["-u", "capture-pane", "-p", "-e"]).joined(separator: "\n")
    }

    /// Waits until the screen is as expected, and returns it. A line that a test needs besides is part of what is expected: a screen is
    /// looked at also while it is drawn.
    @discardableResult
    func shows(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ isExpected: ([String]) -> Bool
    ) async throws -> [String] {
        var lines: [String] = []
        let isShown = try await reaches {
            lines = try await screen()
            return isExpected(lines)
        }
        if !isShown {
            Issue.record("not shown: \(what)\n\(lines.joined(separator: "\n"))", sourceLocation: sourceLocation)
        }
        return lines
    }

    /// Runs tmux, which takes milliseconds.
    @discardableResult
    private func run(_ arguments: [String]) async throws -> [String] {
        let end = try await start(arguments).end()
        try #require(end.status == 0, "tmux \(arguments.joined(separator: " ")): \(end.errors)")
        return end.output
    }

    private func start(_ arguments: [String]) throws -> Program {
        try Program(["-L", name] + arguments, running: Self.executable, variables: variables)
    }
}
