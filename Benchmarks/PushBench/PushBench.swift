import ArgumentParser

/// One figure per call, printed as one JSON line; `Benchmarks/run.sh` calls it in turn with others on the same work.
struct PushBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "PushBench",
        abstract: "Measure pushes: one figure a call, as one JSON line.",
        subcommands: [
            WorkCommand.self, PushCommand.self, SingleCommand.self, PacedCommand.self, RefusedCommand.self,
            IdleCommand.self, BusyCommand.self, FirstCommand.self, BlackHoleCommand.self, RelayCommand.self,
            ChildCommand.self, HoldCommand.self, MicroCommand.self, ReportCommand.self, ScaleCommand.self,
            ServeCommand.self, QueueCommand.self, QueueWorkerCommand.self,
        ])
}

/// Why a measurement could not be made.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
