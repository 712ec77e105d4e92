import ArgumentParser
import PushDemo
import PushTerminal

/// `pushctl demo`: the library in ten seconds, without an account.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Watch two named connections push through an interrupted server, a simulated one in this process.",
        discussion: """
            Example:
              pushctl demo --pushes 100000

            Needs no account and no network. Exits with 0 if every push has its outcome and nothing was doubled.
            """)

    @OptionGroup var options: DemoOptions

    func run() async throws {
        let status = try await Demo(options).run()
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
