import ArgumentParser
import Glibc

/// `PushBench relay`: counts what one client sends over one connection, for the bytes and TLS records per push.
struct RelayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay", abstract: "Pass on one connection, delay it, and count its bytes and TLS records.")

    @OptionGroup var line: LineOptions

    @Option(help: "The port to listen on.")
    var listen: Int

    @Option(help: "The port to pass on to.")
    var to: Int

    @Option(help: "Milliseconds each way.")
    var delay = 0.0

    @Option(help: "The pushes that go through, for figures per push.")
    var pushes: Int

    @Option(help: "Seconds to wait for the connection and its end.")
    var patience = 120.0

    func run() throws {
        let relay = try Relay(to: to, port: listen, delay: .milliseconds(delay))
        relay.start()
        let deadline = ContinuousClock.now + .seconds(patience)
        // A test of the port is a connection, too, and carries nothing.
        while !(relay.totals.open == 0 && relay.totals.bytesUp > 0) {
            guard ContinuousClock.now < deadline else {
                throw BenchError("no connection came through within \(patience) s")
            }
            usleep(20_000)
        }
        let totals = relay.totals
        let count = Double(max(1, pushes))
        try line.print(
            "wire",
            [
                "bytes_up": Double(totals.bytesUp) / count, "bytes_down": Double(totals.bytesDown) / count,
                "records_up": Double(totals.recordsUp) / count,
            ])
    }
}
