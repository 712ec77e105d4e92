import ArgumentParser
import PushTerminal

/// `pushctl inbox`: a simulator and its inbox, ready to be looked at.
struct InboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "Run a simulated APNs with an inbox: a page and an HTTP API that show what your server pushes.",
        discussion: """
            Examples:
              pushctl inbox
              pushctl inbox --port 2197 --inbox 127.0.0.1:8035 -- swift run MyServer

            It is simulate with other defaults: every topic is accepted, pushes go to port 2197 and the page is at \
            http://127.0.0.1:8035, or at free ports if those are taken. Prints both addresses, the variables for a \
            program, and commands to try.
            """)

    @OptionGroup var options: SimulateOptions

    func run() async throws {
        let code = try await SimulateRun(options, isForInbox: true).run()
        if code != ExitStatus.success.rawValue { throw ExitCode(code) }
    }
}
