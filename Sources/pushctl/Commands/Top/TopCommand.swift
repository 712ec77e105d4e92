import ArgumentParser
import PushTerminal

/// `pushctl top`: the supervision tree of a running program.
struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Watch the connections of a running program.",
        discussion: """
            The program has opened a status socket: with statusSocket in the configuration of its runtime, or pushctl \
            bulk or worker with --status-socket. Shown are connections and pools with phase, load, round trip, restarts, pushes a \
            second, rejections, and why a link is down. q or Ctrl-C quits. See docs/status-socket.md.
            """)

    @Argument(
        help: """
            The status socket. When left out, the only one in $XDG_RUNTIME_DIR/supervised-push.
            """, completion: .file(extensions: ["sock"]))
    var socket: String?

    @Flag(help: "Print one table, which takes a second, and end: also without a terminal.")
    var once = false

    @Flag(help: "JSON lines on standard output, one a second; with --once, one.")
    var json = false

    @Flag(help: "Print a line for each link that is not up, and end: with 0 if all are, else with 69.")
    var check = false

    @OptionGroup var log: LogOptions

    mutating func validate() throws {
        if check, once || json { throw ValidationError("--check has one form; leave out --once and --json.") }
    }

    func run() async throws {
        let path = try socket ?? StatusSockets.only()
        let status = try await TopRun(path, check ? .check : .init(once: once, json: json)).run()
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
