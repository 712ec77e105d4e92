import ArgumentParser
import PushTerminal

/// `pushctl simulate`: runs a simulated APNs for other programs.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a simulated APNs until a signal comes (INT, TERM, HUP), or until a program has ended.",
        discussion: """
            Examples:
              pushctl simulate --verbose --write-config push.json
              pushctl simulate --script outage.json -- pushctl bulk tokens.csv \\
                  --payload payload.json
              pushctl simulate --inbox 127.0.0.1:8035 --write-config push.json
              pushctl simulate --host 0.0.0.0 --san apns --port 2197 \\
                  --credentials /credentials

            Prints one JSON line: a configuration for --config, with its ports and files. A folder given with \
            --credentials is created, or reused; without it the files are temporary and removed at the end.

            A program after -- gets that configuration as PUSHCTL_CONFIG and has standard output for itself. Signals \
            are passed on to it, and its exit code is this command's: 127 if it is not on the PATH. If the simulator \
            can't start (69), the program is not run.

            The first eight digits of a device token say what should happen to it: deadbeef is unregistered and \
            deadc0de expired since now (410), baadf00d is not a device token and 0ddba115 belongs to another topic (400), \
            f100ded0 has too many pushes (429). Every other token is accepted, except all zeros.
            """)

    @OptionGroup var options: SimulateOptions

    mutating func validate() throws {
        let inbox = options.inbox
        guard inbox.address != nil || inbox.tokenFile == nil && inbox.names.isEmpty else {
            throw ValidationError("--inbox-token-file and --inbox-host go with --inbox; give it, too.")
        }
    }

    func run() async throws {
        let code = try await SimulateRun(options).run()
        if code != ExitStatus.success.rawValue { throw ExitCode(code) }
    }
}
