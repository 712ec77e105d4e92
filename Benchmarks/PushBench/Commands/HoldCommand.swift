import ArgumentParser
import Glibc

/// `PushBench hold`: what a connection costs another client that holds many.
struct HoldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Run another client until it holds this many connections: resident memory for each.")

    @OptionGroup var line: LineOptions

    @Option(help: "How many connections it will hold.")
    var connections: Int

    @Option(help: "Seconds to let them settle.")
    var settle = 3.0

    @Option(help: "Its resident memory with one connection, as printed by this command, in KiB.")
    var base = 0.0

    @Option(help: "Where its output goes.")
    var output: String

    @Argument(parsing: .captureForPassthrough, help: "The command.")
    var command: [String] = []

    func run() throws {
        let child = try Child(command, output: output)
        defer { child.kill() }
        let deadline = ContinuousClock.now + .seconds(120)
        while child.sockets < connections {
            guard ContinuousClock.now < deadline else {
                throw BenchError("it holds \(child.sockets) of \(connections) connections after 120 s: see \(output)")
            }
            usleep(50_000)
        }
        // A socket is there before its handshake: what it holds grows until all are through.
        var resident = 0.0
        while true {
            usleep(UInt32(settle * 1e6))
            let now = Double(ProcessStatus("\(child.process)").residentKiB ?? 0)
            if now <= resident || ContinuousClock.now > deadline { break }
            resident = now
        }
        let held = child.sockets
        try line.print(
            "idle \(connections)",
            [
                "kib_per_connection": (resident - base) / Double(max(1, base > 0 ? held - 1 : held)),
                "resident_kib": resident,
            ])
    }
}
