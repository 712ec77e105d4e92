import ArgumentParser
import Glibc
import PushTerminal

@main
struct Pushctl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushctl",
        abstract: "Push to the Apple Push Notification service over supervised connections.",
        discussion: """
            Begin with "pushctl demo", or with "pushctl inbox", which shows what your server pushes.

            Data goes to standard output, everything a person reads while waiting to standard error. \
            Exit codes: 0 all delivered, 1 some rejected or failed, 2 some unknown, 64 usage, 66 input, \
            69 no connection, 77 credential refused, 78 configuration, 129, 130 and 143 after SIGHUP, SIGINT \
            and SIGTERM.

            Pages that the help of a command names, such as docs/bulk.md, are at \
            https://github.com/supervised-push/supervised-push.
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "Rehearsal",
                subcommands: [DemoCommand.self, InboxCommand.self, SimulateCommand.self, BenchCommand.self]),
            CommandGroup(
                name: "Push",
                subcommands: [
                    SendCommand.self, BulkCommand.self, JournalCommand.self, BroadcastCommand.self,
                    ChannelsCommand.self,
                ]),
            CommandGroup(name: "Queue", subcommands: [QueueCommand.self, WorkerCommand.self]),
            CommandGroup(
                name: "Diagnosis",
                subcommands: [
                    DoctorCommand.self, TopCommand.self, MetricsCommand.self, TokenCommand.self, ProfilesCommand.self,
                ]),
        ])

    static func main() async {
        StandardDescriptors.occupy()
        SignalWatcher.ignoreBrokenPipes()
        SignalWatcher.ignoreSnapshots()
        var arguments = Array(CommandLine.arguments.dropFirst())
        do {
            StandardError.isJSON = try LogFormat.chosen(by: arguments) == .json
            arguments = try ConfigurationArguments.expand(arguments)
            if let error = UnknownName.command(in: arguments, of: self) { throw error }
            var command = try parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            endProgram(ExitStatus.success.rawValue)
        } catch {
            endProgram(CommandEnd.report(error, of: self, arguments))
        }
    }
}
