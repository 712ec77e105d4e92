import ArgumentParser
import Foundation

/// One figure per call, printed as one JSON line; `Benchmarks/run.sh` calls it in turn with others on the same work.
@main
struct PushBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "PushBench",
        abstract: "Measure pushes: one figure a call, as one JSON line.",
        subcommands: [
            WorkCommand.self, PushCommand.self, SingleCommand.self, PacedCommand.self, IdleCommand.self,
            BusyCommand.self, FirstCommand.self, BlackHoleCommand.self, RelayCommand.self, ChildCommand.self,
            HoldCommand.self, ReportCommand.self,
        ])

    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            let code = exitCode(for: error)
            let text = fullMessage(for: error)
            if code.isSuccess { print(text) } else { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
            leave(code.rawValue)
        }
        leave(0)
    }

    /// Ends without what runs at a normal exit: OpenSSL would clean up under the hands of connections that still work.
    private static func leave(_ code: Int32) -> Never {
        fflush(nil)
        _exit(code)
    }
}

/// Why a measurement could not be made.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
