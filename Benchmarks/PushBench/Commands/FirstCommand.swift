import ArgumentParser
import Dispatch
import SupervisedPush

/// `PushBench first`: round trips from an established TCP connection to the first answer.
struct FirstCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "first", abstract: "Push at once on a new connection, over a slow network: round trips.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var work: WorkOptions
    @OptionGroup var line: LineOptions

    @Option(help: "Milliseconds each way.")
    var delay = 50.0

    func run() async throws {
        let work = try Work(work)
        let relay = try Relay(to: server.port, delay: .milliseconds(delay))
        relay.start()
        let runtime = PushRuntime(.init(logger: nil))
        let called = DispatchTime.now().uptimeNanoseconds
        try runtime.connect(name: "bench", config: server.config(self.work.apnsID.policy, port: relay.port))
        _ = try await runtime.push(name: "bench", work.notification(0), to: work.token(0))
        let answered = DispatchTime.now().uptimeNanoseconds
        let established = relay.totals.acceptedAt
        let milliseconds = Double(answered - established) / 1e6
        try line.print(
            "first",
            [
                "round_trips": milliseconds / (2 * delay), "milliseconds": milliseconds,
                "call_to_answer_ms": Double(answered - called) / 1e6,
            ])
    }
}
